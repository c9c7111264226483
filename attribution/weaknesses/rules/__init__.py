"""Rule sets: where they come from, what they need of a text, how they are tested."""
