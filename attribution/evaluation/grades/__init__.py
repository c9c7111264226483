"""How the quality of sessions differs between groups of them."""
