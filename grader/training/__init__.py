"""``grader train``: a student's own model, trained until it can be shown to somebody."""
