-- foreign_keys: Tables point only to rows that exist.
SELECT "table", "rowid", "parent" FROM pragma_foreign_key_check;
