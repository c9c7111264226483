"""The benchmark of line authorship: histories of real agents and a simulated person, each line's
author known.
"""
