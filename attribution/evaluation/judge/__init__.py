"""Labels by a language model, optional (extra: llm): nothing else needs them; only
`whowrote data judge run` sends anything.

labels -> prompts -> model (adapter for llm) -> stage (resumable) -> judge_labels; validation
compares them with people's.
"""
