"""The commands about weaknesses: `whowrote findings` and `whowrote report weaknesses`."""
