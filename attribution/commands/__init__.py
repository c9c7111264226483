"""Commands, a file per subject: parse, call the library, print.

A file is found by a tuple of its commands; the name of the tuple (COMMANDS, DATA, REPORTS, …) says
where they belong, and FIRST_PAGE in `collector/console/commands.py` has their order in the help.
"""
