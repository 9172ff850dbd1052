"""What a test of a suite works with: the student's code as it sees it, criteria, comparisons, verdicts."""
