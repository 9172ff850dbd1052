"""Dates as people write them, and the same dates as ISO 8601 has them: "3rd of March, 1999" → "1999-03-03".

Every style is a function of a date and a generator, which decides about small things such as a leading zero. Some
styles are held out of training by whoever asks for ``TRAINING_STYLES``: a model that has understood dates reads them
a little, one that has learned by heart does not.

Where a model is graded, the dates are not written as ISO 8601 has them but in a form that is drawn by lot: who can read
dates without having learned it from the pairs does not know how to write them.
"""

from __future__ import annotations

import datetime
import random
import string
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from .digits import draw_names

Pair = tuple[str, str]
Style = Callable[[datetime.date, random.Random], str]
Form = Callable[[datetime.date], str]

FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)


def ordinal(day: int) -> str:
    """1st, 2nd, 3rd, 4th, …, 11th, 12th, 13th, …, 21st

    >>> [ordinal(day) for day in (1, 2, 3, 11, 22, 30)]
    ['1st', '2nd', '3rd', '11th', '22nd', '30th']
    """
    ending = "th" if day // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _day(date: datetime.date, rng: random.Random) -> str:
    return rng.choice([f"{date.day}", f"{date.day:02}"])


STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "3rd of March, 1999": lambda d, rng: f"{ordinal(d.day)} of {d:%B}, {d.year}",
        "3 March 1999": lambda d, rng: f"{_day(d, rng)} {d:%B} {d.year}",
        "March 3, 1999": lambda d, rng: f"{d:%B} {_day(d, rng)}, {d.year}",
        "3 Mar 1999": lambda d, rng: f"{_day(d, rng)} {d:%b} {d.year}",
        "Mar 3, 1999": lambda d, rng: f"{d:%b} {d.day}, {d.year}",
        "03/03/1999": lambda d, rng: f"{d:%d/%m}/{d.year}",
        "3.3.1999": lambda d, rng: f"{d.day}.{d.month}.{d.year}",
        "1999/03/03": lambda d, rng: f"{d.year}/{d:%m/%d}",
        "19990303": lambda d, rng: f"{d.year}{d:%m%d}",
        "Wednesday, March 3rd, 1999": lambda d, rng: f"{d:%A}, {d:%B} {ordinal(d.day)}, {d.year}",
        "Wed 3 Mar 1999": lambda d, rng: f"{d:%a} {d.day} {d:%b} {d.year}",
        "the 3rd of March 1999": lambda d, rng: f"the {ordinal(d.day)} of {d:%B} {d.year}",
        "March 3rd 1999": lambda d, rng: f"{d:%B} {ordinal(d.day)} {d.year}",
        "3-MAR-1999": lambda d, rng: f"{d.day}-{f'{d:%b}'.upper()}-{d.year}",
    }
)
HELD_OUT_STYLES = ("Wed 3 Mar 1999", "March 3rd 1999")
TRAINING_STYLES = tuple(style for style in STYLES if style not in HELD_OUT_STYLES)
PLAIN_STYLES = ("3 March 1999", "Mar 3, 1999", "03/03/1999", "3.3.1999")  # 8 to 17 characters: little to compute


def draw_form(rng: random.Random) -> Form:
    """A way to write dates: an order of year, month and day, what stands between them, and a letter for each digit."""
    parts, joint = rng.sample(("%Y", "%m", "%d"), k=3), rng.choice("-/.:")
    names = str.maketrans(string.digits, draw_names(rng))
    return lambda date: joint.join(date.strftime(part) for part in parts).translate(names)


def date_pairs(
    count: int, *, seed: int, styles: Iterable[str] = tuple(STYLES), form: Form = datetime.date.isoformat
) -> list[Pair]:
    """``count`` distinct written dates, their styles mixed evenly, each in this ``form``, by default ISO 8601."""
    styles = tuple(styles)
    unknown = [style for style in styles if style not in STYLES]
    if unknown or not styles:
        raise ValueError(f"styles must be some of {list(STYLES)}, found {unknown or 'none'}")
    days = (LAST - FIRST).days + 1
    if not 0 <= count <= days * len(styles) // 2:
        raise ValueError(f"count must be between 0 and {days * len(styles) // 2} for these styles, found {count}")
    rng = random.Random(seed)
    pairs: dict[str, str] = {}  # distinct, in the order of drawing
    while len(pairs) < count:
        date = FIRST + datetime.timedelta(days=rng.randrange(days))
        pairs[STYLES[rng.choice(styles)](date, rng)] = form(date)
    return list(pairs.items())
