"""How long lines live, who ends them, and what of them is at the tip."""
