"""What a project asks contributors to say about AI, found in its texts and filled in."""
