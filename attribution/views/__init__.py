"""Who wrote this line, this file, this commit: from a filled database and the clone to values that can be printed."""
