"""How sessions went, as scores, and how scores agree with people's ratings."""
