"""Facts: what git and the agents' own records say. Never imports `attribution`."""
