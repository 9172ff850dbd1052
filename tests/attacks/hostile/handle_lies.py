"""Counts wrongly in an object that claims to be equal to everything, and to be a number."""
# expect: counter = failed
# expect: * = passed


class Counter(int):
    def __new__(cls, start):
        return super().__new__(cls, start)

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def next(self):
        return self
