"""Commands about repairs and ownership."""
