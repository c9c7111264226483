"""How conversations move away from their task, by embeddings of their texts
(docs/decisions/0008-embeddings.md).

A model turns texts into rows of floats and nothing more: `ngrams` needs no library, `sentences` a
package.
"""
