"""What became of a session and of the places it edited."""
