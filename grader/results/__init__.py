"""What was found out: records of a run, its journal, scores, and the one schema of ``results.json``."""
