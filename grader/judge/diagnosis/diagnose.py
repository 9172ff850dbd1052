"""Why a student failed: the smallest set of known mistakes that gives the same wrong answers to the same calls.

A failed test's calls are repeated on the solution, which shows what answers are wrong, and on the solution with a known
mistake in it. A mistake explains everything if it is wrong wherever the student is, mostly in the same way, and nowhere
else. If there is none, one is looked for that explains what is wrong in a function, and what it leaves is a problem of
its own: another mistake is put beside it into the same program. If nothing can be the first, two are tried together.
What nothing tells apart is named together. The rest is silence.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Collection, Sequence

import msgspec

from grader.judge.diagnosis.evidence import Key
from grader.judge.diagnosis.failures import Failures, Recordings
from grader.judge.diagnosis.fits import CLEARLY, MOST, NEARLY, STRONG
from grader.judge.diagnosis.objections import Objections
from grader.judge.diagnosis.replay import Clock, OutOfTime
from grader.judge.diagnosis.selection import Chosen, Selection
from grader.judge.diagnosis.several import Part, Several, given
from grader.judge.diagnosis.similarity import ALTERNATIVES
from grader.judge.diagnosis.suspects import Mistake, Suspects
from grader.judge.processes.events import Diagnosed, Found

ALL_SECONDS = 5.0  # of processor time for a submission; what was found by then is said
LIKENESSES = 20  # mistakes of which one may be what it looks like


def diagnose(suspects: Suspects, failed: Recordings, passed: Recordings, deadline: float = math.inf) -> Diagnosed:
    """The mistakes behind the failed criteria; ``deadline``, by time.monotonic, is when the student's time is over."""
    start = time.process_time()
    clock = Clock(ALL_SECONDS, deadline)
    diagnosed = Diagnosed((), explained=False)
    with contextlib.suppress(OutOfTime):
        failures = Failures(suspects, failed, passed, clock)
        search = _Search(Selection(suspects, failures, Objections(suspects, passed, failures.functions, clock), clock))
        with contextlib.suppress(OutOfTime):
            search.run()
        diagnosed = search.result()
    return msgspec.structs.replace(diagnosed, seconds=time.process_time() - start)


class _Search:
    """One submission's failures, and what was found out about them so far."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.suspects = selection.suspects
        self.failures = selection.failures
        self.found: list[Found] = []
        self.given: frozenset[Key] = frozenset()  # wrong answers that what was found gives

    def result(self) -> Diagnosed:
        """All that is found by now."""
        named = {id_ for found in self.found if not found.likeness for id_ in found.criteria}
        explained = bool(named) and self.given >= self.failures.wrong and named >= set(self.failures.criteria)
        return Diagnosed(tuple(self.found), explained)

    def run(self) -> None:
        candidates = self.selection.likeliest(self.suspects.mistakes, self.failures.criteria)
        if self.failures.wrong:
            self._explain_answers(candidates)
        if self.given >= self.failures.wrong:
            self._explain_the_way(candidates)

    def _explain_answers(self, candidates: Sequence[Mistake]) -> None:
        near = self.selection.near(candidates)
        several = Several(self.selection, candidates, near)
        named: list[Part] = []
        with contextlib.suppress(OutOfTime):
            if single := self.selection.best(self.selection.fits(near, self.failures.wrong), MOST):
                named.append(several.part(single))
            several.add_to(named)
            if several.left(named):
                named = several.pair(NEARLY if named else CLEARLY) or named
        self.given = given(named)
        for part in named:
            self._add(part.alternatives, self.failures.criteria_of(part.touched))
        if not named:
            self._liken(near)

    # What is said

    def _liken(self, near: Sequence[Mistake]) -> None:
        """What it looks like: the one idea that gives a good part of what is wrong, and much more than any other."""
        fits = self.selection.fits(near, self.failures.wrong)
        most = max((fit.credit for fit in fits), default=0)
        best = [fit for fit in fits if fit.credit > most * MOST and fit.weight >= STRONG]
        chosen = self.selection.narrowed([fit for fit in best[:LIKENESSES] if self.selection.is_sound(fit)])
        if len(chosen) == 1:
            self._add(chosen, self.failures.criteria_of(chosen[0].agrees), likeness=True)

    def _explain_the_way(self, candidates: Sequence[Mistake]) -> None:
        """Where all answers are right, a criterion looks at the way: at memory, say, or at what is called. So those
        mistakes are asked for that such criteria catch, and no others."""
        rest = self.failures.of_other_functions - {id_ for found in self.found for id_ in found.criteria}
        fits = self.selection.fits((one for one in candidates if rest and one.caught_by == rest), frozenset())
        alternatives = self.selection.narrowed([fit for fit in fits if not self.selection.objections.to(fit.mistake)])
        if 0 < len(alternatives) < ALTERNATIVES:
            self._add(alternatives, rest)

    def _add(self, alternatives: Chosen, criteria: Collection[str], *, likeness: bool = False) -> None:
        ids = tuple(id_ for fit in alternatives for id_ in fit.mistake.ids)
        silent = {id_ for id_ in self.failures.without_answer if any(id_ in f.mistake.caught_by for f in alternatives)}
        shown = tuple(id_ for id_ in self.failures.criteria if id_ in criteria or id_ in silent)
        self.found.append(Found(mistakes=ids, criteria=shown, likeness=likeness))
