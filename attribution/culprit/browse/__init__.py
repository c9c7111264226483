"""The page about repairs."""
