"""What the tests share: builders of repositories and transcripts, servers, fakes."""
