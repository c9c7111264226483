"""Labels by a language model, optional (extra: judge): nothing else needs them; only `whowrote data judge run` sends anything.

labels -> prompts -> model (adapter for llm) -> stage (cached, resumable) -> judge_labels; agreement compares them with people's.
"""
