"""From files, however they arrive, to submissions: one file per layout, listed in ``layouts.py``."""
