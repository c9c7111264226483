"""Who wrote each line: sessions are replayed, compared with commits, and every added line gets
an author with evidence.
"""
