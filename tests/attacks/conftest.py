"""The course and the hostile modules are material, not tests."""

collect_ignore = ["course", "hostile", "prelude.py"]
