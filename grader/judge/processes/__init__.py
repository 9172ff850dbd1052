"""The processes that judge: a warm one that forks a child for each task, and one that judges once."""
