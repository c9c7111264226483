"""Running: worker processes, shards, the console."""
