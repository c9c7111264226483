"""Asking servers: GitHub's API and git's own protocol, within their limits."""
