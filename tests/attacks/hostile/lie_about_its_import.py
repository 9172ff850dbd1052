"""Raises a syntax error that is none, with words and a place of its own choice."""
# expect: * = error

raise SyntaxError("parrot", ("echo.py", 99999, 1, "parrot"))
