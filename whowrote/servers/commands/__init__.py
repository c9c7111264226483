"""The commands of the plug-in: `serve mcp`, `serve lsp` and `data guard`."""
