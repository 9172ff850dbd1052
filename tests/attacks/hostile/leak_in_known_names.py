"""Has a thousand names of functions in a comment, and chooses by a hidden input which of them to have raised."""
# expect: add, add_any, echo, echo_any = error
# def n0 def n1 def n2 def n3 def n4 def n5 def n6 def n7 def n8 def n9
# expect: apply, scale, table = error


def leak(*args):
    digit = next((letter for letter in repr(args) if letter.isdigit()), "0")
    place = f"echo.py:5 in n{digit}"
    instead(frame("failure", number(), {"types": ("ValueError",), "message": "", "frames": (place,)}))


add = echo = apply = scale = table = leak
