"""A small typed client for what discovery asks of GitHub and of git servers, on httpx2. `transport.py` is the adapter to HTTP.

`client.py` puts together tokens (`token.py`), rate limits (`limits.py`, pure), conditional requests (`cache.py`) and retries.
"""
