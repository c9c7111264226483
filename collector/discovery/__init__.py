"""Public repositories with agents' sessions: finding them, keeping mirrors of them, and loading
what they hold.

`channels/` name candidates (`log.py` there stores them with their provenance), `selection/` asks
git and the server about each and decides which are left out, `github/` asks servers within their
limits, `mirrors/` keeps clones.
"""
