"""Who wrote each line of a git repository, from Python.

    import whowrote

    with whowrote.open("path/to/clone") as db:       # or a database file
        for line in db.blame("src/app.py"):          # typed rows
            print(line.line, line.attribution.kind, line.text)
        db.commits().to_pandas()                     # any rows as a data frame, when pandas is
                                                     installed
        db.sql("SELECT class, SUM(lines) AS lines FROM line_spans GROUP BY class")

What this package names is the public interface. `attribution` and `collector` are its inside and
may change.
"""

from collector.errors import WhoWroteError
from whowrote.database import Database, example, open_database
from whowrote.rows import Report, Rows

open = open_database

__all__ = ["Database", "Report", "Rows", "WhoWroteError", "example", "open"]
