"""A class comes in: from a path to submissions, with everything that a teacher should know about how it was read."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from grader.course import Course
from grader.errors import SubmissionError, did_you_mean
from grader.results.schema import Origin
from grader.submissions import LAYOUTS
from grader.submissions.archives import stem
from grader.submissions.base import HandIn, Layout, Pile, Settings, Submission, Unused
from grader.submissions.catalogue import Catalogue, make_catalogue, words_of
from grader.submissions.choice import Rules, choose
from grader.submissions.names import exercise_of, leads_out
from grader.submissions.pile import read_tree
from grader.submissions.roster import Roster
from grader.submissions.tree import CLUTTER, Tree

FITS = 0.3  # a layout that fits less than this is not meant
APART = 0.2  # two layouts that fit nearly alike: the teacher chooses
WRAPPERS = 2  # folders around a class in an archive
MANY = 3  # folders with the same exercise in one student's folder: then it is a class


class Attempts(StrEnum):
    """Which attempt of a student counts."""

    LAST = "last"
    BEST = "best"


class Same(msgspec.Struct, frozen=True, kw_only=True):
    """Several students handed in the same for an exercise."""

    exercise: str
    students: tuple[str, ...]


class Intake(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    layout: str
    submissions: tuple[Submission, ...]  # sorted by student; with ``Attempts.BEST`` perhaps several of one student
    unused: tuple[Unused, ...]
    absent: tuple[str, ...] = ()  # on the roster, and handed in nothing
    strangers: tuple[str, ...] = ()  # handed in, and not on the roster
    same: tuple[Same, ...] = ()
    stubs: tuple[tuple[str, str], ...] = ()  # (student, exercise): handed in as it was given out

    @property
    def questions(self) -> tuple[Submission, ...]:
        """Those about whom the teacher must decide something."""
        return tuple(s for s in self.submissions if s.origin.question or s.origin.questions)


def read_class(
    path: Path,
    course: Course,
    *,
    layout: str = "",
    rules: Rules | None = None,
    roster: Roster | None = None,
    due: float | None = None,
    attempts: Attempts = Attempts.LAST,
) -> Intake:
    """Everything that lies there, as submissions; raises SubmissionError if no class can be seen in it."""
    catalogue = make_catalogue(course)
    rules = rules or Rules()
    tree = read_tree(path)
    settings = Settings(due=due, exercises=tuple(catalogue.exercises))
    chosen, around = find_layout(tree, layout, settings)
    if due is not None and chosen.name != "repositories":
        raise SubmissionError(
            f"{path}: --due says which commit of a repository counts, and this is {chosen.title}. Leave it out: "
            "whoever was late is graded, and the time stands in the results if the layout tells it."
        )
    nobodys = [one for level in around for one in _nobodys(level)]
    tree = around[0].only(around[0].work_tops())
    pile = chosen.read(tree, settings)
    _refuse_what_is_no_class(path, tree, chosen, pile, settings)
    hand_ins, unused = _attempts(_people(pile.hand_ins, roster), attempts)
    submissions: list[Submission] = []
    for hand_in in hand_ins:
        submission, rest = choose(hand_in, catalogue, rules)
        submissions.append(submission)
        unused += rest
    there = {hand_in.student for hand_in in hand_ins} | {m for hand_in in hand_ins for m in hand_in.group}
    absent = [person for person in roster.people if person.id not in there] if roster else []
    submissions += [_absent(person.id, person.name) for person in absent]
    _refuse_unused_mapping(rules, submissions, unused)
    words = {source.content: words_of(source.content) for s in submissions for source in s.sources.values()}
    return Intake(
        layout=chosen.name,
        submissions=tuple(sorted(submissions, key=lambda s: (s.student, s.origin.attempt or 0))),
        unused=(*nobodys, *pile.unused, *unused),
        absent=tuple(person.id for person in absent),
        strangers=tuple(dict.fromkeys(h.student for h in hand_ins if roster and h.student not in roster.by_id)),
        same=_same(submissions, catalogue, words),
        stubs=tuple(
            (s.student, name)
            for s in submissions
            for name, source in s.sources.items()
            if words[source.content] in catalogue.exercises[name].stubs
        ),
    )


# Layouts


def find_layout(tree: Tree, name: str, settings: Settings) -> tuple[Layout, list[Tree]]:
    """The layout, and the tree from which it reads, followed by those around it.

    An archive often has one folder around everything.
    """
    trees = _unwrapped(tree, settings)
    if name:
        layout = next((one for one in LAYOUTS if one.name == name), None)
        if layout is None:
            known = [one.name for one in LAYOUTS]
            raise SubmissionError(
                f"There is no layout {name!r}{did_you_mean(name, known)} There are: {', '.join(known)}."
            )
        fit = [layout.fits(one) for one in trees]
        return layout, trees[fit.index(max(fit)) :]
    for number, one in enumerate(trees):
        fits = sorted(((layout.fits(one), n, layout) for n, layout in enumerate(LAYOUTS)), reverse=True)
        (best, _, layout), (second, _, other) = fits[:2]
        if best < FITS:
            continue
        if best - second < APART and second >= FITS:
            raise SubmissionError(
                f"{tree.path}: this may be {layout.title} or {other.title}. Say which: --layout {layout.name}, or "
                f"--layout {other.name}."
            )
        return layout, trees[number:]
    raise SubmissionError(_no_class(tree))


def _nobodys(tree: Tree) -> Iterator[Unused]:
    """What lies on the first level and belongs to no student: left by a program, or with a path that leads out."""
    work = set(tree.work_tops())
    for top in tree.tops():
        members = [member for member in tree.members if member.parts[0] == top] if top not in work else []
        for member in members if leads_out(top) else members[:1]:
            place = member.origin or member.parts
            place = place if leads_out(top) else place[: len(place) - len(member.parts) + 1]
            count = f" ({len(members)} files)" if len(members) > 1 else ""
            reason = member.problem if leads_out(top) else CLUTTER + count
            yield Unused(student="", file="/".join(place), reason=reason)


def _unwrapped(tree: Tree, settings: Settings) -> list[Tree]:
    """The tree, preceded by what lies in the one folder around it, if there is such a folder and no student's."""
    found = [tree]
    for _ in range(WRAPPERS):
        tops = found[0].work_tops()
        if len(tops) != 1 or not found[0].is_folder(tops[0]):
            break
        inside = found[0].split()[tops[0]]
        special = any(layout.fits(inside) > 0.7 for layout in LAYOUTS)
        if not special and not (tree.kind != "folder" and _holds_a_class(tops[0], inside, tree, settings)):
            break
        found.insert(0, inside)
    return found


def _holds_a_class(name: str, inside: Tree, tree: Tree, settings: Settings) -> bool:
    """Whether a folder that is alone in an archive is around students' folders, and is not itself a student's."""
    if len(_with_same_exercise(inside, settings)) >= 2:
        return True
    inner = [top.casefold() for top in inside.work_tops()]
    ours = {"exercises", "src", *settings.exercises}
    return name == stem(tree.path.name) and all(map(inside.is_folder, inside.work_tops())) and not ours & set(inner)


def _with_same_exercise(tree: Tree, settings: Settings) -> list[str]:
    """The folders that hold a file for an exercise for which another holds one too; the most for one exercise."""
    folders: dict[str, set[str]] = {}
    for member in tree.members:
        exercise = exercise_of(member.name, settings.exercises)[0]
        if exercise and len(member.parts) > 1:
            folders.setdefault(exercise, set()).add(member.parts[0])
    return max((sorted(found) for found in folders.values()), key=len, default=[])


def _refuse_what_is_no_class(path: Path, tree: Tree, layout: Layout, pile: Pile, settings: Settings) -> None:
    if not pile.hand_ins:
        raise SubmissionError(_no_class(tree))
    if layout.name != "folder":
        return
    trees = tree.split()
    high = {
        name: folders
        for name, inside in trees.items()
        if len(folders := _with_same_exercise(inside, settings)) >= MANY and not set(folders) & set(settings.exercises)
    }
    if high and len(high) * 2 >= len(pile.hand_ins):
        name, folders = next(iter(high.items()))
        raise SubmissionError(
            f"{path}: this is one level too high. {name} is no student: it holds folders with the same exercise "
            f"({', '.join(folders[:3])}, …). Give {path / name}."
        )
    if not any(exercise_of(m.name, settings.exercises)[0] for m in tree.members) and not any(
        member.problem or member.name.casefold().endswith((".py", ".ipynb")) for member in tree.members
    ):
        raise SubmissionError(_no_class(tree))


def _no_class(tree: Tree) -> str:
    tops = tree.work_tops()
    inside = [name for name in tops if name.casefold().endswith((".zip", ".tar", ".gz", ".tgz"))]
    hint = f" Or do you mean {tree.path / inside[0]}?" if inside else ""
    what = f"it holds {', '.join(tops[:3])}{', …' if len(tops) > 3 else ''}" if tops else "it is empty"
    return (
        f"{tree.path}: no student's work in it: {what}. Give the zip that you downloaded from Canvas, Moodle or "
        f"Gradescope, or a folder with one folder per student, like {tree.path / 's01'}.{hint}"
    )


# Students


def _people(hand_ins: Sequence[HandIn], roster: Roster | None) -> list[HandIn]:
    """The hand-ins under the ids of the roster; what a group handed in under its own name goes to every member."""
    found: list[HandIn] = []
    for hand_in in hand_ins:
        members = roster.group(hand_in) if roster else ()
        person = roster.find(hand_in) if roster else None
        if members and (person is None or person in members):  # Canvas gives a group the id of one of them
            ids = tuple(person.id for person in members)
            group = ids if len(ids) > 1 else ()
            found += [
                msgspec.structs.replace(hand_in, student=person.id, name=person.name, group=group) for person in members
            ]
            continue
        if person:
            hand_in = msgspec.structs.replace(hand_in, student=person.id, name=person.name or hand_in.name)
        if roster and hand_in.group:
            group = tuple(_id(roster, member) for member in hand_in.group)
            hand_in = msgspec.structs.replace(hand_in, group=group)
        found.append(hand_in)
    return found


def _id(roster: Roster, student: str) -> str:
    person = roster.find(HandIn(student=student))
    return person.id if person else student


def _attempts(hand_ins: Sequence[HandIn], attempts: Attempts) -> tuple[list[HandIn], list[Unused]]:
    """One hand-in for each student, or all; several that are no attempts are kept apart and asked about."""
    by_student: dict[str, list[HandIn]] = {}
    for hand_in in hand_ins:
        by_student.setdefault(hand_in.student, []).append(hand_in)
    found: list[HandIn] = []
    unused: list[Unused] = []
    taken = set(by_student)
    for student, several in by_student.items():
        if len(several) > 1 and all(one.attempt is not None or one.submitted_at for one in several):
            several.sort(key=lambda one: (one.attempt or 0, _moment(one.submitted_at)))
            *earlier, last = several
            if attempts is Attempts.BEST:
                numbers = [one.attempt for one in several]
                if None in numbers or len(set(numbers)) < len(numbers):  # each must have its own
                    several = [msgspec.structs.replace(one, attempt=n) for n, one in enumerate(several, start=1)]
                found += several
                continue
            found.append(
                msgspec.structs.replace(last, notes=(*last.notes, f"the last of {len(several)} attempts counts"))
            )
            unused += [
                Unused(student=student, file=member.path, reason="is of an earlier attempt")
                for one in earlier
                for member in one.files
            ]
            continue
        for number, one in enumerate(several):
            if number:
                own = _free(student, taken)
                note = f"somebody else is called {student} too"
                one = msgspec.structs.replace(one, student=own, notes=(*one.notes, note))
            found.append(one)
    return found, unused


def _moment(text: str | None) -> tuple[float, str]:
    """Sorts times, whatever zone they name; what is no time comes first."""
    try:
        return datetime.datetime.fromisoformat(text or "").timestamp(), ""
    except (ValueError, OverflowError):
        return 0.0, text or ""


def _free(name: str, taken: set[str]) -> str:
    """The name with a number after it: two students are never made one."""
    number = 2
    while f"{name} ({number})" in taken:
        number += 1
    taken.add(f"{name} ({number})")
    return f"{name} ({number})"


def _absent(student: str, name: str) -> Submission:
    return Submission(student=student, sources={}, origin=Origin(name=name, notes=("handed in nothing",)))


def _same(submissions: Sequence[Submission], catalogue: Catalogue, words: Mapping[bytes, str]) -> tuple[Same, ...]:
    """Who handed in the same, apart from groups and stubs."""
    found: dict[tuple[str, str], list[Submission]] = {}
    for submission in submissions:
        for name, source in submission.sources.items():
            text = words[source.content]
            if text and text not in catalogue.exercises[name].stubs:
                found.setdefault((name, text), []).append(submission)
    same = []
    for (name, _), several in found.items():
        groups = {s.origin.group or (s.student,) for s in several}
        if len(groups) > 1:
            same.append(Same(exercise=name, students=tuple(dict.fromkeys(s.student for s in several))))
    return tuple(same)


def _refuse_unused_mapping(rules: Rules, submissions: Sequence[Submission], unused: Sequence[Unused]) -> None:
    known = {(s.student, file) for s in submissions for file in s.origin.files.values()}
    known |= {(one.student, one.file) for one in unused}
    for student, file in rules.mapping:
        if (student, file) not in known:
            near = did_you_mean(file, [name for who, name in known if who == student])
            raise SubmissionError(f"The mapping names {file!r} of {student!r}, which is not there{near}")
