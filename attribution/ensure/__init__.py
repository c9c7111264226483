"""Brings what a command needs up to date: the one place above the stages, which write, and the
queries, which only read.
"""
