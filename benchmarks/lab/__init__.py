"""The lab: real coding agents against a scripted model, in repositories where the author of
every line is known. See README.md.
"""
