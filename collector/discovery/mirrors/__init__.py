"""Mirrors of repositories: fetched with git, for one database or one user.

`remote.py` says which refs are wanted and asks servers, `update.py` brings one mirror up to date,
`many.py` all of them; `table.py` is what the database knows about them.
"""
