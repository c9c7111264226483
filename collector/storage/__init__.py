"""The database: schema, connections, what text is kept, copies from one database into another."""
