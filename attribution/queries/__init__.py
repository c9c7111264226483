"""Reads a filled database (and the clone beside it) into typed values.

Writes nothing and runs no stage.
"""
