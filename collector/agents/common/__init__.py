"""What readers of transcripts share: values, calls, clocks, prompts, and a reader of records to
build on.
"""
