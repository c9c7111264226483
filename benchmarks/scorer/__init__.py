"""Scores programs that say who wrote the lines of a git repository; README.md says how."""

VERSION = "2.2"
