"""What finders of sessions on a developer's machine share: its directories, files and databases,
and the worktrees of a clone.
"""
