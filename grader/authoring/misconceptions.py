"""Moved to ``grader.misconceptions``."""

from grader.misconceptions import Misconception, apply_misconception, bank_path, load_misconceptions

__all__ = ["Misconception", "apply_misconception", "bank_path", "load_misconceptions"]
