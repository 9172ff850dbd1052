"""What crosses between the judge and the student's code: messages, and their form as bytes."""
