"""``grader validate`` on exercises that are broken: what is wrong is said once, where it is, and never as a traceback.

Every exercise is one that ``grader new`` began, broken in one way. All of them stand in one course: so one run also
shows that a broken exercise keeps no other from being proven.
"""

import json
import shutil

import pytest

SOLUTION, BANK = "solutions/{}.py", "solutions/misconceptions/{}.toml"
PUBLIC, HIDDEN = "exercises/{0}/test_{0}.py", "tests/hidden/test_{}.py"
VARIANT, STUB, HANDOUT = "tests/variants/{}/another_style.py", "exercises/{0}/{0}.py", "exercises/{}/handout.md"
READY, FULL = "Its files can be judged", "The solution has full marks"


def replace(file, old, new):
    def edit(text):
        assert old in text
        return text.replace(old, new, 1)

    return file, edit


def put(file, text):
    return file, lambda old: text


def remove(file):
    return file, lambda old: None


# name of the exercise: (what is done to it, the claim that does not hold, words that are said, other words)
BROKEN = {
    "no_solution": (remove(SOLUTION), READY, "solutions/no_solution.py: not found", "write the solution"),
    "solution_syntax": (replace(SOLUTION, "for i", "for for i"), READY, "solution_syntax.py:20:", "valid Python"),
    "solution_latin": (put(SOLUTION, b"# \xe9\n"), READY, "is not UTF-8 (byte 2)", "save it as UTF-8"),
    "no_marks": (replace(SOLUTION, "    ### END SOLUTION\n", ""), READY, "no_marks.py:18:", "is never closed"),
    "no_import": (replace(SOLUTION, "def ", "1 / 0\n\n\ndef "), FULL, "does not import", "ZeroDivisionError"),
    "wrong_solution": (replace(SOLUTION, "range(1", "range(2"), FULL, "repeated_words: A list", "--tb=short"),
    "no_public": (remove(PUBLIC), READY, "test_no_public.py: not found", "write the public tests"),
    "no_hidden": (remove(HIDDEN), READY, "test_no_hidden.py: not found", "write the hidden tests"),
    "empty_suite": (put(PUBLIC, b""), READY, "test_empty_suite.py: has no tests", "test_…(student)"),
    "suite_syntax": (replace(HIDDEN, "def ", "def def "), READY, "test_suite_syntax.py:10:", "is not valid Python"),
    "null_byte": (put(HIDDEN, b"\0"), READY, "test_null_byte.py", "null byte"),
    "no_fixture": (replace(HIDDEN, "rng)", "rnd)"), READY, "test_no_fixture.py:10:", "did you mean 'rng'?"),
    "same_id": (replace(HIDDEN, "repeated_words", "short_sentences"), READY, "the id 'short_s", "choose another"),
    "same_title": (replace(HIDDEN, "Words that come back", "Two short sentences"), READY, "the title", "another"),
    "no_criterion": (replace(HIDDEN, "@criterion", "# @criterion"), READY, "has no criterion", "Put @criterion("),
    "wrong_kind": (replace(HIDDEN, '"value"', '"valu"'), FULL, "test_wrong_kind.py:9:", "did you mean 'value'?"),
    "no_points": (replace(HIDDEN, "points=2, ", ""), FULL, "test_no_points.py:9:", "'points'"),
    "zero_points": (replace(HIDDEN, "points=2", "points=0"), FULL, "test_zero_points.py:9:", "a positive whole number"),
    "no_sentence": (replace(HIDDEN, '    """Every', '    "" and """Every'), FULL, "a docstring", "no_sentence.py:9:"),
    "bad_import": (replace(HIDDEN, "from", "import nowhere\nfrom"), FULL, "test_bad_import.py:3:", "'nowhere'"),
    "bad_name": (replace(HIDDEN, "expected = [", "expected = nowhere + ["), FULL, "with NameError", "Mend the suite"),
    "no_bank": (remove(BANK), "Every misconception is caught", "no_bank.toml has no mistake", "Write down"),
    "bank_toml": (replace(BANK, "find =", "find"), READY, "misconceptions/bank_toml.toml", "line 15"),
    "bank_key": (replace(BANK, "hint =", "hnt ="), READY, "misconceptions/bank_key.toml", "`hnt`"),
    "bad_edit": (replace(BANK, "return pairs", "return twos"), READY, "find must occur once", "each-pair-once"),
    "no_edit": (replace(BANK, "list(dict.fromkeys(pairs))", "pairs"), READY, "changes nothing", "each-pair-once"),
    "caught_by": (replace(BANK, '"repeated', '"repeted'), "Every misconception", "did you mean", "not a criterion"),
    "no_variant": (remove(VARIANT), "Every right variant", "tests/variants/no_variant/ has no module", "Write a right"),
    "variant_syntax": (put(VARIANT, b"def (:\n"), "Every right variant", "another_style: does not import", "1"),
    "old_stub": (put(STUB, b"def (:\n"), "Handout and hints", "run `grader stubs old_stub`", "Write what is missing"),
    "handout_latin": (put(HANDOUT, b"\xe9"), READY, "handout.md: is not UTF-8", "save it"),
    "equivalents": (put("solutions/equivalents/{}.toml", b"format = 1\nx = 1\n"), READY, "equivalents.toml", "`x`"),
    "questions": (put("exercises/{}/predict.toml", b"format = 1\n"), READY, "predict.toml", "`salt`"),
    "counts": (("course.toml", None), "Points add up", "hidden_criteria = 4, the suite has 1", "Correct course.toml"),
}  # fmt: skip


def break_it(course, name):
    (file, edit), *_ = BROKEN[name]
    path = course / file.format(name)
    if edit is None:
        before, after = path.read_text().split(f'name = "{name}"')
        path.write_text(before + f'name = "{name}"' + after.replace("hidden_criteria = 1", "hidden_criteria = 4", 1))
        return
    new = edit(path.read_text() if path.is_file() else "")
    if new is None:
        path.unlink()
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(new if isinstance(new, bytes) else new.encode())


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A course in which ``grader new`` began one exercise."""
    from grader.authoring.new import new_exercise

    course = tmp_path_factory.mktemp("begun")
    (course / "course.toml").write_text('format = 1\ntitle = "Toy"\n')
    new_exercise(course, "sound")
    return course


@pytest.fixture(scope="module")
def found(begun, tmp_path_factory):
    """What ``grader validate`` says about a course of broken exercises and a sound one."""
    from click.testing import CliRunner

    from grader.authoring.new import new_exercise
    from grader.cli import main

    course = tmp_path_factory.mktemp("broken") / "course"
    shutil.copytree(begun, course)
    for name in BROKEN:
        new_exercise(course, name)
    for name in BROKEN:
        break_it(course, name)
    result = CliRunner().invoke(main, ["validate", "--course", str(course), "--json", "--seeds", "0", "--jobs", "1"])
    assert result.exit_code == 1, (result.output, result.exception)
    return {exercise["name"]: exercise for exercise in json.loads(result.stdout)["exercises"]}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_said_where_it_is_and_what_to_do(found, name):
    _, claim, *words = BROKEN[name]
    broken = [proof for proof in found[name]["proofs"] if not proof["holds"]]
    assert broken[0]["claim"].startswith(claim), broken
    said = " ".join([*broken[0]["problems"], broken[0]["remedy"]])
    assert all(one in said for one in words), said
    assert "Traceback" not in said and "/tmp" not in said
    if claim in (READY, FULL):
        assert len(found[name]["proofs"]) == 1 or not any(FULL in one["claim"] for one in broken[1:])


@pytest.mark.parametrize("name", ["no_hidden", "no_public", "no_solution"])
def test_what_is_missing_is_said_once(found, name):
    (proof,) = found[name]["proofs"]
    (problem,) = proof["problems"]
    assert "not found" in problem


def test_broken_exercises_keep_none_from_being_proven(found):
    assert found["sound"]["holds"]
    assert not [name for name, exercise in found.items() if exercise["holds"] and name != "sound"]


def test_points_and_criteria_are_two_things(found):
    points = next(one for one in found["sound"]["proofs"] if one["claim"] == "Points add up")
    assert points["finding"] == "3 points, 1 of them public; 2 criteria, 1 of them public"


def test_a_conftest_that_cannot_be_imported_is_named(begun, grader, tmp_path):
    shutil.copytree(begun, tmp_path / "course")
    (tmp_path / "course/tests/conftest.py").write_text("import nowhere\n")
    result = grader("validate", "--course", tmp_path / "course", "--seeds", 0, "--jobs", 1)
    assert result.exit_code == 1
    assert "tests/conftest.py:1" in result.output and "No module named 'nowhere'" in result.output
    assert isinstance(result.exception, SystemExit)


def test_a_suite_that_ends_the_judge_is_no_traceback(begun, grader, tmp_path):
    shutil.copytree(begun, tmp_path / "course")
    suite = tmp_path / "course" / HIDDEN.format("sound")
    suite.write_text("raise SystemExit(3)\n" + suite.read_text())
    result = grader("validate", "--course", tmp_path / "course", "--seeds", 0, "--jobs", 1)
    assert result.exit_code == 1
    assert "SystemExit: 3" in result.output and "site-packages" not in result.output
    command = "pytest exercises/sound tests/hidden/test_sound.py --grader-submission solutions/sound.py --tb=short"
    assert command in result.output  # in one line


def test_from_red_to_green_by_the_messages_alone(begun, grader, tmp_path):
    course = tmp_path / "course"
    shutil.copytree(begun, course)
    suite, stub = course / HIDDEN.format("sound"), course / STUB.format("sound")
    right = suite.read_text()
    stub.unlink()
    suite.write_text(right.replace('kind="value"', 'kind="valu"'))
    result = grader("validate", "sound", "--course", course, "--seeds", 0, "--jobs", 1)
    assert "did you mean 'value'?" in result.output
    suite.write_text(right)
    result = grader("validate", "sound", "--course", course, "--seeds", 0, "--jobs", 1)
    assert result.exit_code == 1 and "grader stubs sound" in " ".join(result.output.split())
    assert grader("stubs", "sound", "--course", course).exit_code == 0
    result = grader("validate", "sound", "--course", course, "--seeds", 0, "--jobs", 1)
    assert result.exit_code == 0, result.output
