import sqlite3
import sys

from django.db.models.expressions import RawSQL
from flask import Flask, request
from psycopg2 import sql

app = Flask(__name__)
ORDER = {"new": "created DESC"}
TABLE = "t"


@app.get("/a/<name>")
def tainted(name, cur, conn):
    # VULN: sql-tainted sql-built
    cur.execute("SELECT * FROM t WHERE a = '" + request.args["a"] + "'")
    q = f"SELECT * FROM t WHERE a = '{name}'"
    # VULN: sql-tainted sql-built
    conn.execute(q)
    # VULN: sql-tainted
    cur.execute(request.form.get("statement"))
    # SAFE: sql-tainted sql-built
    cur.execute("SELECT * FROM t WHERE a = %s", (request.args["a"],))
    number = int(request.args["n"])
    # VULN: sql-built
    cur.execute("SELECT * FROM t LIMIT %s" % number)
    # SAFE: sql-tainted sql-built
    cur.execute("SELECT * FROM t ORDER BY " + ORDER[request.args["order"]])
    return "x"


def terminal(conn):
    # VULN: sql-tainted sql-built
    conn.execute("DELETE FROM t WHERE a = '%s'" % sys.argv[1])
    # SAFE: sql-tainted sql-built
    conn.execute("DELETE FROM t WHERE a = ?", (sys.argv[1],))


def built(cur, db, kind, ids, wanted):
    # VULN: sql-built
    cur.execute("SELECT * FROM t WHERE kind = '{}'".format(kind))
    statement = "UPDATE t SET a = 1"
    statement += " WHERE kind = " + kind
    # VULN: sql-built
    cur.execute(statement)
    # VULN: sql-built
    Thing.objects.raw(f"SELECT * FROM t WHERE kind = {kind}")
    # VULN: sql-built
    Thing.objects.annotate(x=RawSQL("SELECT a FROM t WHERE b = '%s'" % kind, []))
    # SAFE: sql-built
    cur.execute(f"SELECT * FROM {TABLE}")
    placeholders = ",".join("?" for _ in ids)
    # SAFE: sql-built
    db.execute(f"SELECT * FROM t WHERE id IN ({placeholders})", ids)
    slots = ", ".join(["%s"] * len(ids))
    # SAFE: sql-built
    db.execute("SELECT * FROM t WHERE id IN (" + slots + ")", ids)
    conditions = " AND ".join("a = ?" for _ in ids)
    # SAFE: sql-built
    db.execute("SELECT * FROM t WHERE " + conditions, ids)
    # SAFE: sql-built
    cur.execute(sql.SQL("SELECT {} FROM t").format(sql.Identifier(kind)))
    for table in ("a", "b"):
        # SAFE: sql-built
        cur.execute(f"DELETE FROM {table}")
    # SAFE: sql-built
    cur.execute("SELECT a " "FROM t")
    # SAFE: sql-built
    self.runner.execute(f"task {kind}")


def structure(cur, db, table, where, columns, words):
    # VULN: sql-structure
    cur.execute(f"DELETE FROM {table} WHERE a = ?", (1,))
    # VULN: sql-structure
    db.execute("SELECT a FROM t WHERE " + where)
    # SAFE: sql-structure
    cur.execute(f"SELECT * FROM {TABLE}")
    # SAFE: sql-structure
    cur.execute("DELETE FROM t WHERE a = ?", (1,))
    clauses = []
    for word in words:
        clauses.append("a LIKE '%" + word + "%'")
    both = " OR ".join(clauses)
    # VULN: sql-built
    db.execute("SELECT a FROM t WHERE " + both)
    # SAFE: sql-built
    db.execute("SELECT a FROM t WHERE " + " OR ".join("a LIKE ?" for _ in words), words)


def narrowed(db, since, table):
    # SAFE: sql-built
    db.execute("SELECT a FROM t {part}".format(part="WHERE b > 1" if since else ""))
    what = "a" if since else "b"
    # SAFE: sql-built
    db.execute(f"SELECT {what} FROM t")
    where = " AND ".join(["a = 1", "b = 2"])
    # SAFE: sql-structure
    db.execute("SELECT a FROM t WHERE " + where)
    if table in ("t", "u"):
        # SAFE: sql-structure
        db.execute(f"DELETE FROM {table}")
