"""Answers for other programs while they run: coding agents (MCP), editors (LSP), commit hooks."""
