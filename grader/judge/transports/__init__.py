"""Ways to reach the student's code; the suites do not know which one they use."""
