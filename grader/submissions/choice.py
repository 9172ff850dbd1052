"""Which of a student's files count: for each exercise one, and every other one with the reason why it does not.

Nothing is graded by guess. A file that has an exercise's name (whatever an LMS made of it) counts. A file that nearly
has it, or that holds the exercise under another name, is a question to the teacher, and so is what cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import msgspec

from grader.course.helpers import MAX_HELPERS, may_help, words_in
from grader.results.schema import Origin
from grader.submissions import limits
from grader.submissions.archives import FOREIGN_ENDINGS, archive_kind
from grader.submissions.base import HandIn, Source, Sources, Submission, Unused, raw_text, read_text
from grader.submissions.catalogue import Catalogue, Wanted, words_of
from grader.submissions.names import (
    clean,
    defined_names,
    exercise_of,
    is_clutter,
    is_clutter_folder,
    is_test,
    near_exercise,
    split_suffix,
)
from grader.submissions.notebook import HEADER, SUFFIX, source_of_exercise
from grader.submissions.tree import CLUTTER, Member, Parts

SAME_TIME = 2.0  # seconds: clocks of archives are no better
ENOUGH = 0.5  # this share of an exercise's names, and two of them at least, makes a file one that may hold it


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What the teacher decided."""

    accept_near_names: bool = False
    mapping: Mapping[tuple[str, str], str] = {}  # (student, file) -> exercise


class _Found(msgspec.Struct, frozen=True, kw_only=True):
    """A module or notebook, read."""

    member: Member
    content: bytes
    problem: str
    encoding: str
    words: str
    number: int = 0  # of the copy, as an LMS counts

    @property
    def path(self) -> str:
        return self.member.path

    @property
    def trouble(self) -> str:
        """Why it cannot be used, with its whole path."""
        return f"{self.path} {_reason(self.problem, self.member)}"

    @property
    def is_notebook(self) -> bool:
        return self.member.name.casefold().endswith(SUFFIX)

    @property
    def was_notebook(self) -> bool:
        """Whether it is a module that was written from a notebook."""
        return not self.is_notebook and self.content.startswith(HEADER.split("\n")[0].encode())


class _Student:
    """The choice for one student, as it is made."""

    def __init__(self, hand_in: HandIn, catalogue: Catalogue, rules: Rules) -> None:
        self.hand_in = hand_in
        self.catalogue = catalogue
        self.rules = rules
        self.unused: dict[str, str] = {}  # path -> reason
        self.notes: list[str] = list(hand_in.notes)
        self.questions: dict[str, str] = {}  # exercise -> what the teacher must decide
        self.chosen: dict[str, _Found] = {}
        self.named: dict[str, list[_Found]] = {}
        self.others: list[_Found] = []  # modules and notebooks with names of their own
        self.doubts: list[str] = (
            [hand_in.problem] if hand_in.problem else []
        )  # what may hold anything, and cannot be read
        self.left = limits.MAX_READ
        self.words: dict[bytes, frozenset[str]] = {}  # that a text mentions
        self.helped: set[str] = set()  # paths of the student's own modules that are part of the submission

    # Reading

    def sort(self) -> None:
        """Put every file where it belongs by its name."""
        clutter: dict[str, int] = {}
        for count, member in enumerate(self.hand_in.files):
            if count >= limits.MAX_FILES:
                self.notes.append(f"more than {limits.MAX_FILES} files: the others were not looked at")
                self.doubts.append(f"more than {limits.MAX_FILES} files")
                break
            if member.problem == CLUTTER or is_clutter(member.parts):
                place = _clutter_place(member)
                clutter[place] = clutter.get(place, 0) + 1
            else:
                self.take(member)
        for place, count in clutter.items():
            self.unused[place] = CLUTTER + (f" ({count} files)" if count > 1 else "")

    def take(self, member: Member) -> None:
        mapped = self.rules.mapping.get((self.hand_in.student, member.path), "")
        exercise, number = (mapped, 0) if mapped else exercise_of(member.name, self.catalogue.exercises)
        if exercise == "" and not split_suffix(member.name)[1] and not near_exercise(
            member.name, self.catalogue.exercises
        ):  # fmt: skip
            self.pass_over(member)
            return
        if member.problem:
            content, problem, encoding = b"", f"{member.name} {member.problem}.", ""
        elif self.left < member.size:
            content, encoding = b"", ""
            problem = f"{member.name} was not read: no more than {limits.MAX_READ} bytes of one student are."
        else:
            content, problem, encoding = read_text(member)
            self.left -= max(member.size, len(content))
        found = _Found(
            member=member, content=content, problem=problem, encoding=encoding, words=words_of(content), number=number
        )
        if exercise:
            self.named.setdefault(exercise, []).append(found)
        elif problem and not near_exercise(member.name, self.catalogue.exercises):
            self.unused[found.path] = _reason(problem, member)
            self.doubts.append(found.trouble)
        else:
            self.others.append(found)

    def pass_over(self, member: Member) -> None:
        name = member.name.casefold()
        if member.problem:
            self.unused[member.path] = member.problem
            self.doubts.append(f"{member.path} {member.problem}")
        elif archive_kind(name) or name.endswith(FOREIGN_ENDINGS):
            self.unused[member.path] = "is an archive that we cannot open: ask for a zip"
            self.doubts.append(f"{member.path} is an archive that we cannot open")
        else:
            self.unused[member.path] = "is neither a module nor a notebook"

    # Choosing

    def choose(self) -> None:
        for exercise in self.catalogue.exercises.values():
            self.choose_for(exercise, self.named.get(exercise.name, []))
        self.choose_notebooks()
        self.look_for_near_names()
        for exercise in self.catalogue.exercises.values():
            if self.is_open(exercise) and self.doubts and not exercise.optional:
                found = "only the stub" if exercise.name in self.chosen else "nothing of it"
                self.questions.setdefault(exercise.name, f"{found} was found, but {_list(self.doubts)}")

    def choose_for(self, exercise: Wanted, found: Sequence[_Found]) -> None:
        """One file of those that have the exercise's name."""
        readable = [one for one in found if not one.problem]
        work = [one for one in readable if one.words and one.words not in exercise.stubs]
        for one in found:
            if one.problem:
                self.unused[one.path] = _reason(one.problem, one.member)
        if work:
            best = self.newest(exercise, work)
        elif readable:
            best = max(readable, key=lambda one: (bool(one.words), _rank(one, exercise.name)))
            state = "is still the stub" if best.words else "is empty"
            self.notes.append(f"{exercise.name}: {best.path} {state}")
        elif found:
            self.questions[exercise.name] = _list(one.trouble for one in found)
            return
        else:
            return
        self.count(exercise.name, best)
        for one in readable:
            if one is not best:
                self.unused.setdefault(one.path, self.why_not(one, best, exercise))
        if best.words in exercise.stubs or not best.words:
            broken = [one.trouble for one in found if one.problem]
            if broken:
                self.questions[exercise.name] = _list(broken)

    def newest(self, exercise: Wanted, work: Sequence[_Found]) -> _Found:
        """Of several files that were worked on the newer one; both are named if they differ."""
        notebooks = [one for one in work if one.is_notebook]
        left = [one for one in work if not (one.was_notebook and notebooks)]
        last: dict[tuple[Parts, bool], _Found] = {}
        for one in left:  # an LMS counts what is handed in again: the highest number is the newest
            key = one.member.parts[:-1], one.is_notebook
            if key not in last or (one.number, one.member.modified or 0) > (
                last[key].number,
                last[key].member.modified or 0,
            ):
                last[key] = one
        times = [one.member.modified or 0.0 for one in last.values()]
        latest = [one for one in last.values() if (one.member.modified or 0.0) >= max(times) - SAME_TIME]
        best = max(latest, key=lambda one: _rank(one, exercise.name))
        different = [one for one in work if one.words != best.words and not one.was_notebook]
        if different:
            told = "" if len(latest) == 1 or all(one.words == best.words for one in latest) else (
                " (their times do not tell which is newer)"
            )  # fmt: skip
            others = _list(one.path for one in different)
            self.notes.append(f"{exercise.name}: {best.path} counts, and not {others}{told}")
        return best

    def why_not(self, one: _Found, best: _Found, exercise: Wanted) -> str:
        if not one.words:
            return "is empty"
        if one.words == best.words:
            return f"is the same as {best.path}"
        if one.words in exercise.stubs:
            return "is still the stub"
        if one.was_notebook and best.is_notebook:
            return f"was written from a notebook, and {best.path} counts"
        return f"is another {exercise.name}, and {best.path} counts"

    def count(self, exercise: str, found: _Found) -> None:
        self.chosen[exercise] = found
        if found.encoding:
            self.notes.append(f"{exercise}: {found.path} was saved as {found.encoding}, and read so")

    def is_open(self, exercise: Wanted) -> bool:
        """Whether nothing that was worked on counts for it yet."""
        chosen = self.chosen.get(exercise.name)
        return chosen is None or not chosen.words or chosen.words in exercise.stubs

    def choose_notebooks(self) -> None:
        """A notebook that holds all of several exercises counts for those that have no file of their own."""
        for one in list(self.others):
            if not one.is_notebook or one.problem:
                continue
            names = defined_names(one.content)
            whole = [e for e in self.catalogue.exercises.values() if e.names and e.names <= names]
            if len(whole) < 2:
                continue
            taken = [exercise for exercise in whole if self.is_open(exercise)]
            for exercise in taken:
                others = self.catalogue.other_names(exercise.name)
                part = source_of_exercise(raw_text(one.member), exercise.names, others).encode(
                    errors="backslashreplace"
                )
                self.count(exercise.name, msgspec.structs.replace(one, content=part))
            if taken:
                self.others.remove(one)
                self.notes.append(f"{one.path} holds several exercises: {_list(e.name for e in taken)}")

    def look_for_near_names(self) -> None:
        """What may be an exercise under another name is asked, or taken if the teacher said so."""
        suggestions: dict[str, list[_Found]] = {}
        for one in self.others:
            for name in self.suggest(one):
                suggestions.setdefault(name, []).append(one)
        for name, found in suggestions.items():
            exercise = self.catalogue.exercises[name]
            if not self.is_open(exercise):
                for one in found:
                    self.unused.setdefault(one.path, f"looks like {name}, but {self.chosen[name].path} counts")
                continue
            readable = [one for one in found if not one.problem]
            if self.rules.accept_near_names and len(readable) == 1:
                (one,) = readable
                self.count(name, one)
                self.unused.pop(one.path, None)
                self.questions.pop(name, None)
                self.notes.append(f"{name}: {one.path} was accepted, although it is not called {name}.py")
                continue
            files = _list(one.trouble if one.problem else one.path for one in found)
            self.questions[name] = f"is it in {files}?" if readable else files
            for one in found:
                self.unused.setdefault(one.path, f"looks like {name}, but is not called so")
        for one in self.others:
            if one.problem:
                self.unused.setdefault(one.path, _reason(one.problem, one.member))

    def suggest(self, one: _Found) -> list[str]:
        """The exercises that this file may hold."""
        stem = split_suffix(one.member.name)[0]
        if is_test(stem):
            return []
        near = near_exercise(one.member.name, self.catalogue.exercises)
        if one.problem:
            return [near] if near else []
        if one.words and any(one.words in exercise.stubs for exercise in self.catalogue.exercises.values()):
            return []
        defined = defined_names(one.content)
        holds = []
        for exercise in self.catalogue.exercises.values():
            own = defined & exercise.names
            if own and (own == exercise.names or len(own) >= max(2, ENOUGH * len(exercise.names))):
                holds.append(exercise.name)
        if near and near not in holds and one.words:
            holds.append(near)
        return [name for name in holds if self.is_open(self.catalogue.exercises[name])] or holds[:1]

    # The student's own modules beside

    @cached_property
    def modules(self) -> dict[Parts, list[_Found]]:
        """Modules with names of their own, by their folder."""
        found: dict[Parts, list[_Found]] = {}
        for one in self.others:
            if not one.is_notebook and not one.problem:
                found.setdefault(one.member.parts[:-1], []).append(one)
        return found

    def source(self, exercise: Wanted) -> Source:
        found = self.chosen[exercise.name]
        return Source(content=found.content, problem=found.problem, helpers=self.helpers(exercise, found))

    def helpers(self, exercise: Wanted, main: _Found) -> Sources:
        """The files beside that the module mentions, at any remove; modules of other exercises too."""
        helpers: Sources = {}
        waiting = [main]
        while waiting and len(helpers) < MAX_HELPERS:
            one = waiting.pop()
            words = self.words.get(one.content)
            if words is None:
                words = self.words[one.content] = words_in(one.content)
            for name, found in self.beside(one).items():
                if name in words and name != exercise.name and name not in helpers:
                    helpers[name] = (f"{name}.py", found.content)
                    waiting.append(found)
                    if name not in self.catalogue.exercises:
                        self.helped.add(found.path)
                        self.unused.pop(found.path, None)
        return helpers

    def beside(self, one: _Found) -> dict[str, _Found]:
        """What a module may import by name: what counts for other exercises, and modules in the same folder."""
        found = {name: chosen for name, chosen in self.chosen.items() if not chosen.problem}
        for other in self.modules.get(one.member.parts[:-1], []):
            name = _module_name(other.member.name)
            if may_help(name):
                found.setdefault(name, other)
        return found

    # The whole

    def submission(self) -> Submission:
        sources = {e.name: self.source(e) for e in self.catalogue.exercises.values() if e.name in self.chosen}
        question = "" if self.chosen or self.questions else self.nothing_found()
        for one in self.others:
            if one.path not in self.helped and one.path not in {c.path for c in self.chosen.values()}:
                self.unused.setdefault(one.path, self.why_nothing(one))
        hand_in = self.hand_in
        origin = Origin(
            name=hand_in.name,
            group=hand_in.group,
            submitted_at=hand_in.submitted_at,
            attempt=hand_in.attempt,
            notes=tuple(dict.fromkeys(self.notes)),
            files={name: found.path for name, found in self.chosen.items()},
            question=question,
            questions=self.questions,
            digests={name: source.digest for name, source in sources.items()},
        )
        return Submission(student=hand_in.student, sources=sources, origin=origin)

    def nothing_found(self) -> str:
        if self.doubts:
            return f"nothing was recognised: {_list(self.doubts)}"
        if not self.hand_in.files:
            return "nothing is in it"
        return f"nothing is called like an exercise: {_list(self.unused or [one.path for one in self.others])}"

    def why_nothing(self, one: _Found) -> str:
        stem = split_suffix(one.member.name)[0]
        if is_test(stem):
            return "is a test"
        if not may_help(_module_name(one.member.name)):
            return "is called like a module of Python's or of the course's, so it is not used as a helper"
        if not one.words:
            return "is empty"
        return "is not called like an exercise, and no module that counts mentions it"


def choose(hand_in: HandIn, catalogue: Catalogue, rules: Rules) -> tuple[Submission, tuple[Unused, ...]]:
    """What counts of a hand-in, and what does not."""
    student = _Student(hand_in, catalogue, rules)
    student.sort()
    student.choose()
    submission = student.submission()
    unused = [Unused(student=hand_in.student, file=file, reason=reason) for file, reason in student.unused.items()]
    return submission, tuple(unused)


def _rank(one: _Found, exercise: str) -> tuple[int, int, int, str]:
    """Where the better place is, if nothing else tells: as in the course, then high up; a module before a notebook."""
    folders = [step.casefold() for step in one.member.parts[:-1]]
    proper = 2 if folders[-2:] == ["exercises", exercise] else 1 if folders[-1:] == [exercise] else 0
    return int(not one.is_notebook), proper, -len(folders), one.path


def _module_name(name: str) -> str:
    stem = split_suffix(name)[0]
    stem = stem if stem.isidentifier() else clean(stem)[0]
    return stem if stem.isidentifier() else ""


def _clutter_place(member: Member) -> str:
    """The folder that a program made, or the file."""
    steps = (member.origin or member.parts)[:-1]
    for count, step in enumerate(steps, start=1):
        if is_clutter_folder(step):
            return "/".join(steps[:count])
    return member.path


def _reason(problem: str, member: Member) -> str:
    return problem.removeprefix(f"{member.name} ").rstrip(".")


def _list(texts: Iterable[str], most: int = 3) -> str:
    """The first few, and how many more there are."""
    found = list(dict.fromkeys(texts))
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more
