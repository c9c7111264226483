"""Commands about disclosure."""
