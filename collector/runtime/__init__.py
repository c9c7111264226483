"""Running: worker processes, clusters, shards, the console."""
