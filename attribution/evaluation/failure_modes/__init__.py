"""How sessions failed: a decision tree over measured features, embeddings and labels of a judge."""
