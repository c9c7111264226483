"""The commands of `collect`, a file per subject: parse, call the library, print.

A file is found by its tuple COLLECT of commands (`collector/console/commands.py`).
"""
