"""Evaluation of sessions and agents: labels of a judge, embeddings, failure modes, attempts of evaluation runs.

A plug-in: the core never imports it.
"""
