"""Reading git: repositories (pygit2), the git program, patches, renames, trailers, the wire
protocol.
"""
