"""Hints, status and explanations, as a student asks for them."""


def test_hints_come_one_after_the_other_and_are_remembered(tiny, grader):
    suite = tiny / "exercises/addition/test_addition.py"
    suite.write_text(suite.read_text().replace('hint="Use +."', 'question="Why?", hint="Use +.", step="a + b"'))
    (tiny / "exercises/addition/addition.py").write_text("def add(a, b):\n    return 0\n")
    checked = grader("check", "addition", "--course", tiny).output
    assert "Hint: Why?" in checked
    assert "has 2 more" in checked
    found = [grader("hint", "addition", "--course", tiny).output for _ in range(4)]
    assert "Why?" in found[0] and "hint 1, 2 more" in found[0]
    assert "Use +." in found[1] and "hint 2, 1 more" in found[1]
    assert "a + b" in found[2] and "this was the last" in found[2]
    assert found[3] == found[2]


def test_status_has_points_and_the_next_step(tiny, grader):
    assert "never" in grader("status", "--course", tiny).output
    (tiny / "exercises/doubling/doubling.py").write_text("def double(a):\n    return 0\n")
    grader("check", "--course", tiny)
    output = grader("status", "--course", tiny).output
    assert "3/3" in output and "a moment ago" in output
    assert "next: doubling, criterion 'Twice'" in output


def test_a_damaged_or_unwritable_progress_harms_nothing(tiny, grader):
    (tiny / ".grader").write_text("a file, not a folder")
    output = grader("check", "--course", tiny).output
    assert "Progress is not kept" in output
    (tiny / ".grader").unlink()
    (tiny / ".grader").mkdir()
    (tiny / ".grader/progress.json").write_text("{")
    assert grader("check", "--course", tiny).exit_code == 0


def test_explain_says_what_and_why(tiny, grader):
    output = grader("explain", "zero", "--course", tiny).output
    assert "Zero changes nothing." in output and "edges" in output
    assert "small: Small sums (2 points)" in grader("explain", "addition", "--course", tiny).output
    wrong = grader("explain", "zerro", "--course", tiny)
    assert wrong.exit_code == 2 and "did you mean 'zero'" in wrong.output
