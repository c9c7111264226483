"""What commits do to how maintainable the code is: measured by pydriller, compared by who wrote
the commits' lines.
"""
