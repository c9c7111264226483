"""What other tools say about who wrote which lines, checked and laid beside our own; and our
results in their formats.
"""
