"""The edge that both programs share: what is printed, options, progress, how a run ends."""
