"""What a shell command of an agent may have done to files. Pure: text in, effects out."""
