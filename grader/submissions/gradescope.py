"""Gradescope: "Export submissions" gives ``submission_<id>/…``, and ``submission_metadata.yml`` tells whose it is.

The keys of the metadata are symbols of Ruby's (``:submitters:``). Several submitters are a group.
"""

from __future__ import annotations

import datetime
import re
from typing import Any

import yaml

from grader.submissions.base import HandIn, Pile, Settings
from grader.submissions.canvas import with_rest
from grader.submissions.tree import Member, MemberError, Tree, shown

METADATA = "submission_metadata.yml"
SUBMISSION = re.compile(r"^submission_(\d+)$")
MAX_METADATA = 200 << 20  # it holds the output of every test


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Plain data only; a tag of Ruby's is passed over."""


def _plain(loader: Any, suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Loader.add_multi_constructor("!", _plain)


class GradescopeLayout:
    """Folders by the number of the submission."""

    name = "gradescope"
    title = "Gradescope, exported submissions"

    def fits(self, tree: Tree) -> float:
        tops = tree.work_tops()
        folders = [name for name in tops if SUBMISSION.match(name)]
        if METADATA in tops and folders:
            return 1.0
        return 0.8 * len(folders) / len(tops) if tops else 0.0

    def read(self, tree: Tree, settings: Settings) -> Pile:
        metadata, problem = _metadata(tree)
        hand_ins: list[HandIn] = []
        for top, inside in tree.split().items():
            if not SUBMISSION.match(top):
                continue
            files = inside.members
            entry = metadata.get(top)
            if entry is None:
                why = problem or f"{METADATA} does not say whose it is"
                hand_ins.append(HandIn(student=top, files=files, notes=(why,)))
            else:
                hand_ins += _of_submitters(top, files, entry)
        known = [top for top in tree.tops() if (SUBMISSION.match(top) and tree.is_folder(top)) or top == METADATA]
        return with_rest(tree, hand_ins, known, settings)


def _metadata(tree: Tree) -> tuple[dict[str, Any], str]:
    """What the file says of each folder, and why it says nothing if so."""
    member = next((m for m in tree.members if m.parts == (METADATA,)), None)
    if member is None:
        return {}, f"there is no {METADATA}, so nobody knows whose it is"
    try:
        found = yaml.load(member.read(MAX_METADATA), Loader=_Loader)  # noqa: S506  # a safe loader with fewer rules
    except (MemberError, yaml.YAMLError, UnicodeError, ValueError, RecursionError) as error:
        words = str(error).partition("\n")[0]
        return {}, f"{METADATA} cannot be read ({words}), so nobody knows whose it is"
    if not isinstance(found, dict):
        return {}, f"{METADATA} is not what Gradescope writes, so nobody knows whose it is"
    return {str(key): value for key, value in found.items() if isinstance(value, dict)}, ""


def _of_submitters(top: str, files: tuple[Member, ...], entry: dict[str, Any]) -> list[HandIn]:
    """One hand-in for each submitter: everybody of a group has the same."""
    listed = _get(entry, "submitters")
    people = [person for person in listed if isinstance(person, dict)] if isinstance(listed, list) else []
    ids = [_word(p, "sid") or _word(p, "email") or _word(p, "name") or top for p in people]
    found = []
    for person, student in zip(people, ids, strict=True):
        aliases = tuple(_word(person, key) for key in ("sid", "email", "name"))
        found.append(
            HandIn(
                student=student,
                files=files,
                name=_word(person, "name"),
                group=tuple(ids) if len(ids) > 1 else (),
                submitted_at=_time(_get(entry, "created_at")),
                aliases=aliases,
            )
        )
    return found or [HandIn(student=top, files=files, notes=(f"{METADATA} names no submitter",))]


def _get(entry: dict[Any, Any], key: str) -> Any:
    return entry.get(f":{key}", entry.get(key))


def _word(entry: dict[Any, Any], key: str) -> str:
    """A name or number; what is neither is nothing."""
    value = _get(entry, key)
    return shown(str(value).strip()) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _time(value: Any) -> str | None:
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    return shown(value) if isinstance(value, str) and value else None
