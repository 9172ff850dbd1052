"""What runs inside the confinement, beside the student's code. It imports nothing of ours but ``grader.wire``."""
