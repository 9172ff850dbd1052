"""Hostile submissions, and the proof that each comes to nothing. `pytest tests/attacks` runs them all."""
