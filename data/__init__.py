"""What models are trained on: reversed digits, written dates, and the pronunciation of English words."""
