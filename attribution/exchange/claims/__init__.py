"""What other tools' claims are worth: each is checked against its commit, stored, and laid
beside our own lines.
"""
