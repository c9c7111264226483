"""`python -m whowrote`."""

from whowrote.cli import main

main("python -m whowrote")
