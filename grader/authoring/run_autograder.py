#!/usr/bin/env python3
"""What Gradescope runs for each submission: `run_autograder` in the zip that `grader gradescope-zip` makes.

Gradescope has unpacked the zip to /autograder/source, and setup.sh has installed the grader beside it. This program is
run by whatever Python the image has. So it needs nothing but the standard library.

A submission whose autograder leaves no results.json is lost. So the first thing written is a notice that grading
failed. It is replaced when everything else is done. The notice has no score: a fault of the grader is no zero.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NOTICE = (
    "This submission could not be graded ({why}). This is not your fault, and it is no score of zero. "
    "Your teacher can run the autograder again."
)
ADVICE = "Hand in again, with the names of files that the exercise asks for, or ask your teacher."
FIND_LEVEL = "from grader.sandbox.layers import find_layers; print(find_layers().level)"
LEAVE_RESULTS = (0, 3, 4)  # exit codes of `grader grade`: done, a fault of the grader, a question to the teacher


class NotGradedError(Exception):
    """Why there are no results; students may read it."""


def main() -> None:
    root = Path(os.environ.get("AUTOGRADER_ROOT", "/autograder"))
    results = root / "results" / "results.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    write(results, notice("the autograder did not come to its end"))
    try:
        with tempfile.TemporaryDirectory(prefix="grader-") as folder:
            write(results, graded(root, Path(folder)))
    except NotGradedError as error:
        write(results, notice(str(error)))
    except Exception:
        write(results, notice("the autograder failed"))
        raise  # instructors read it; students do not


def graded(root: Path, folder: Path) -> dict[str, Any]:
    """The document for Gradescope."""
    python = os.environ.get("AUTOGRADER_PYTHON", str(root / "venv" / "bin" / "python"))
    settings = json.loads((root / "source" / "settings.json").read_text(encoding="utf-8"))
    metadata = read_metadata(root / "submission_metadata.json")
    level = run(python, "-c", FIND_LEVEL).stdout.strip()
    confined = level in ("bubblewrap", "landlock")
    if not confined and not settings["unconfined"]:
        raise NotGradedError("student code cannot be confined on this machine, and this autograder insists on it")
    lay_out(root / "submission", folder / "submissions", metadata)
    course = ["--course", str(root / "source" / "course")]
    grade = [
        *["grade", str(folder / "submissions"), "--out", str(folder / "out"), *course],
        *(word for name in settings["exercises"] for word in ("--exercise", name)),
        *(["--quick"] if settings["quick"] else []),
        *([] if confined else ["--unconfined"]),
    ]
    done = run(python, "-m", "grader", *grade)
    if done.returncode not in LEAVE_RESULTS:
        raise NotGradedError("the grader stopped with an error")
    export = ["export", str(folder / "out"), "--format", "gradescope", "--out", str(folder / "gradescope"), *course]
    run(python, "-m", "grader", *export, "--points", str(points_of(metadata)), "--hidden", settings["hidden"])
    found = list((folder / "gradescope").glob("*/results.json"))
    results = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    if len(found) != 1:
        return unclear(questions(results)) if questions(results) else notice("the grader gave no score")
    document = json.loads(found[0].read_text(encoding="utf-8"))
    document["output"] += "\n" + confinement_sentence(results["confinement"]) + "\n"
    return dict(document)


def confinement_sentence(confinement: dict[str, Any]) -> str:
    """Which confinement was in force, as it was."""
    layers = confinement.get("layers", {})
    in_force = [name for name, reason in layers.items() if reason is None]
    missing = [name for name, reason in layers.items() if reason is not None]
    if confinement.get("level") not in ("bubblewrap", "landlock"):
        return "Confinement: none. The submission ran with the same rights as the tests."
    return f"Confinement: {', '.join(in_force)}" + (f" (without {', '.join(missing)})." if missing else ".")


def read_metadata(path: Path) -> dict[str, Any]:
    try:
        metadata = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"{path}: {error}. Grading goes on without it.", file=sys.stderr)
        return {}
    return metadata if isinstance(metadata, dict) else {}


def points_of(metadata: dict[str, Any]) -> float:
    """What a score of 100 is worth in this assignment."""
    try:
        points = float((metadata.get("assignment") or {})["total_points"])
    except (KeyError, TypeError, ValueError):
        return 100.0
    return points if 0 < points < float("inf") else 100.0


def lay_out(submission: Path, folder: Path, metadata: dict[str, Any]) -> None:
    """The submission as Gradescope would export it: so the grader knows whose it is, and when it was handed in."""
    # As a copy: a link in the place of the folder would not be followed, and those inside stay links.
    shutil.copytree(submission, folder / "submission_1", symlinks=True)
    users = [user for user in metadata.get("users") or [] if isinstance(user, dict)]
    # Of a group one is enough: Gradescope gives everybody in it the same result.
    people = [{f":{key}": user[key] for key in ("name", "sid", "email") if user.get(key)} for user in users[:1]]
    known = {":submitters": people, ":created_at": str(metadata.get("created_at") or "")}
    # JSON is YAML, too.
    text = json.dumps({"submission_1": known}, ensure_ascii=False)
    (folder / "submission_metadata.yml").write_text(text, encoding="utf-8", errors="replace")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """What it prints goes to our own output, which Gradescope shows to instructors only."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603  # our own commands
    print(done.stdout, flush=True)
    return done


def questions(results: dict[str, Any]) -> list[str]:
    """What is unclear about the files that were handed in."""
    parts = [part for one in results["students"] for part in (one, *one["exercises"])]
    return list(dict.fromkeys(str(part["question"]) for part in parts if part.get("question")))


def unclear(found: list[str]) -> dict[str, Any]:
    words = "\n".join(["This submission has no score yet. What was handed in is unclear:", *found, "", ADVICE])
    return {**notice(""), "output": words}


def notice(why: str) -> dict[str, Any]:
    return {"output": NOTICE.format(why=why), "output_format": "text", "stdout_visibility": "hidden", "tests": []}


def write(path: Path, document: dict[str, Any]) -> None:
    temporary = path.with_name(".results.json.new")
    temporary.write_text(json.dumps(document, indent=2), encoding="utf-8")
    temporary.replace(path)


if __name__ == "__main__":
    main()
