"""``grader validate``: everything that belongs to an exercise is judged, and its claims are proven."""
