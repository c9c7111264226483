"""Evaluation of sessions and agents: scores and grades, labels of a judge, embeddings, failure
modes, attempts of evaluation runs, maintainability of commits, and the tables of a study.

A plug-in: the core never imports it.
"""
