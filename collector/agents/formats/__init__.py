"""Formats that several agents have, or that an agent keeps beside its own."""
