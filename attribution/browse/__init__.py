"""Looking at a database in the browser: a Datasette plugin with pages of its own, and what
Datasette is told of the tables.
"""
