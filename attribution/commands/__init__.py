"""Commands, a file per subject: parse, call the library, print.

A file with COMMANDS is found (`collector/console/commands.py`); its SECTION is that of its commands in the help, where files with
a lower ORDER (default 50) come first. Its REPORTS, if it has any, are commands of the group `report`.
"""
