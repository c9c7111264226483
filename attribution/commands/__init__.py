"""The commands of `attribute`, a file per subject: parse, call the library, print.

A file with COMMANDS is found (`collector/console/commands.py`); its REPORTS, if it has any, are commands of the group `report`.
"""
