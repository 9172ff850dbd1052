"""What crosses the line between the judge and the student's code, and what runs on the far side.

Nothing in this package imports the rest of the grader: it must be able to run where no test exists.
"""
