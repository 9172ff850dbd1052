"""Exercises on sequence models, checked in a moment, and an autograder for a whole class."""

__version__ = "0.1.0"
