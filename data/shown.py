"""How numbers are written in pictures."""


def share(weight: float, decimals: int) -> str:
    """A share of one without its leading zero, as `.25`; nothing where it rounds to nothing."""
    if not 0 < weight < 1:
        return f"{weight:g}"[:4]
    text = f"{weight:.{decimals}f}".removeprefix("0")
    return "" if weight < 10**-decimals else text.partition(".")[0] or text
