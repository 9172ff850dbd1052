"""What the verdicts prove about an exercise: pure functions from results to claims that hold or do not."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from grader.course.misconceptions import Misconception
from grader.errors import did_you_mean
from grader.results.records import CriterionResult, ExerciseResult, Verdict
from grader.results.scoring import exercise_score
from grader.validation.records import Cell, Mutation, Proof, Row

UNSOUND = "grader_fault, Could not be judged, which is not your fault: the solution itself fails it: "
OWN_FAULT = "The test itself failed with"
NOT_IMPLEMENTED = "is not implemented yet"
MOST_FOR_GARBAGE = 5.0  # percent of the points
MOST_FOR_ONE = 40.0  # percent of the points
ENOUGH_CRITERIA = 8
TARGET = 0.95  # of the mutants that are not equivalent


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was judged of one exercise."""

    solution: ExerciseResult
    stub: ExerciseResult
    variants: dict[str, ExerciseResult]
    mistakes: tuple[tuple[Misconception, ExerciseResult], ...]
    garbage: dict[str, ExerciseResult]
    justified: Mapping[str, str]
    other_seeds: dict[str, ExerciseResult]  # "solution, seed 3" -> its result
    in_process: dict[str, tuple[ExerciseResult, ExerciseResult]]  # file -> in process, confined


def rows(evidence: Evidence) -> tuple[Row, ...]:
    """The matrix: each misconception against each criterion of the solution's result."""
    ids = [result.criterion.id for result in evidence.solution.criteria]
    found = []
    for mistake, result in evidence.mistakes:
        by_id = {one.criterion.id: one for one in result.criteria}
        cells = tuple(_cell(by_id.get(id_), id_ in mistake.caught_by) for id_ in ids)
        found.append(
            Row(
                id=mistake.id,
                explanation=mistake.explanation,
                score=exercise_score(result),
                cells=cells,
                severity=mistake.severity,
            )
        )
    return tuple(found)


def _cell(result: CriterionResult | None, expected: bool) -> Cell:
    if result is None or result.verdict is Verdict.GRADER_FAULT:
        return Cell.FAULT
    if result.passed:
        return Cell.PASSES
    return Cell.EXPECTED if expected else Cell.FAILS


def failures(result: ExerciseResult) -> frozenset[str]:
    """The criteria that the student's code is at fault for."""
    return frozenset(
        one.criterion.id for one in result.criteria if not one.passed and one.verdict is not Verdict.GRADER_FAULT
    )


def prove_solution(solution: ExerciseResult) -> Proof:
    """While this does not hold, nothing else is worth judging."""
    name = solution.name
    problems = [words.replace(UNSOUND, "", 1) for words in _complaints(solution)]
    by_hand = f"pytest exercises/{name} tests/hidden/test_{name}.py --grader-submission solutions/{name}.py --tb=short"
    if solution.problem:
        remedy = f"Mend solutions/{name}.py."
    elif solution.fault or any(OWN_FAULT in problem for problem in problems):
        remedy = "Mend the suite."
    else:
        remedy = "Either the suite asks for too much, or the solution is wrong."
    return Proof(
        claim="The solution has full marks",
        finding="no, and nothing else is judged before" if problems else f"{len(solution.criteria)} criteria",
        problems=tuple(problems),
        remedy=f"{remedy} This shows it in full:\n{by_hand}",
    )


def prove_stub(evidence: Evidence) -> Proof:
    """Nothing is passed, and each failure says what is to be written."""
    stub = evidence.stub
    problems = [f"not judged: {stub.fault}"] if stub.fault else []
    if stub.problem:
        problems.append(_not_imported(stub))
    else:
        for result in stub.criteria:
            if result.verdict is not Verdict.MISSING or NOT_IMPLEMENTED not in result.message:
                problems.append(f"{result.criterion.id}: {result.verdict}, {result.message or 'without a word'}")
    return Proof(
        claim="The stub has no points, for the right reason",
        finding=f"{len(stub.criteria)} criteria missing",
        problems=tuple(problems),
        remedy="A test must call the student's code, and let NotImplementedError through, before it can pass.",
    )


def prove_mistakes(evidence: Evidence, known: Iterable[str]) -> Proof:
    """Each is seen by a criterion that it names, and leaves something right; ``known`` are the ids of all criteria."""
    known = frozenset(known)
    bank = f"solutions/misconceptions/{evidence.solution.name}.toml"
    problems = [] if evidence.mistakes else [f"{bank} has no mistake, so nothing shows that wrong code is caught."]
    for mistake, result in evidence.mistakes:
        failed = failures(result)
        if result.problem:
            problems.append(f"{mistake.id}: {_not_imported(result)}")
        elif result.verdict is Verdict.GRADER_FAULT:
            problems += [f"{mistake.id}: {complaint}" for complaint in _complaints(result, only_faults=True)]
        elif not failed:
            problems.append(f"{mistake.id} gets full marks.")
        elif not failed & set(mistake.caught_by) and set(mistake.caught_by) <= known:
            problems.append(
                f"{mistake.id} fails {', '.join(sorted(failed))}, not {' or '.join(mistake.caught_by)}."
            )  # fmt: skip
        elif not exercise_score(result):
            problems.append(f"{mistake.id} gets no points at all, though a single mistake leaves something right.")
        for name in sorted(set(mistake.caught_by) - known):
            near = did_you_mean(name, known)
            found = f"The mistake fails {', '.join(sorted(failed))}." if failed else ""
            problems.append(f"{mistake.id}: caught_by names {name}, which is not a criterion{near} {found}".strip())
    caught = sum(bool(failures(result) & set(mistake.caught_by)) for mistake, result in evidence.mistakes)
    return Proof(
        claim="Every misconception is caught where it should be",
        finding=f"{caught} of {len(evidence.mistakes)}",
        problems=tuple(problems),
        remedy="Add a check to the suite, or correct caught_by."
        if evidence.mistakes
        else "Write down a mistake that students make, as docs/authoring.md shows under Misconceptions.",
    )


def prove_costs(evidence: Evidence) -> Proof:
    """No single mistake costs too much of the exercise, unless the bank says why it should; of few criteria each is
    worth much, so nothing is asked of them."""
    asked = len(evidence.solution.criteria) >= ENOUGH_CRITERIA
    costs = {mistake.id: 100.0 - (exercise_score(result) or 0.0) for mistake, result in evidence.mistakes}
    dear = {mistake.id: mistake.costs_more for mistake, _ in evidence.mistakes if costs[mistake.id] > MOST_FOR_ONE}
    finding = "no mistake is known"
    if costs:
        median, worst = statistics.median(costs.values()), max(costs.values())
        finding = f"median {median:.0f} %, worst {worst:.0f} %, {len(dear)} cost more"
    return Proof(
        claim=f"A mistake costs at most {MOST_FOR_ONE:.0f} %",
        finding=finding,
        problems=tuple(f"{id_} costs {costs[id_]:.0f} %." for id_, why in dear.items() if asked and not why.strip()),
        remedy="Let each criterion look at its own property; or say in the bank, as costs_more, why it should.",
    )


def prove_variants(evidence: Evidence) -> Proof:
    right = sum(result.verdict is Verdict.PASSED for result in evidence.variants.values())
    folder = f"tests/variants/{evidence.solution.name}/"
    problems = [f"{name}: {words}" for name, r in evidence.variants.items() for words in _complaints(r)]
    if not evidence.variants:
        problems.append(f"{folder} has no module, so nothing shows that right code of another style has all points.")
    return Proof(
        claim="Every right variant has full marks",
        finding=f"{right} of {len(evidence.variants)}",
        problems=tuple(problems),
        remedy="The suite asks for more than the contract says, unless the variant is wrong."
        if evidence.variants
        else f"Write a right solution in another style, as {folder}another_style.py.",
    )


def prove_garbage(evidence: Evidence) -> Proof:
    """Code that computes nothing right has next to no points."""
    problems, most = [], 0.0
    for name, result in evidence.garbage.items():
        score = exercise_score(result)
        if score is None:
            problems += [f"{name}: {words}" for words in _complaints(result, only_faults=True)]
            continue
        most = max(most, score)
        if score > MOST_FOR_GARBAGE:
            passed = [one.criterion.id for one in result.criteria if one.passed]
            problems.append(f"{name} gets {score:.1f} %, for {', '.join(passed)}.")
    return Proof(
        claim="What computes nothing right has no points to speak of",
        finding=f"{len(evidence.garbage)} kinds, at most {most:.1f} %",
        problems=tuple(problems),
        remedy="In each of these criteria, check a value that only right code gives, and not as the first answer.",
    )


def prove_need(evidence: Evidence, known: Iterable[str], alone_among_mutants: frozenset[str]) -> Proof:
    """Every hidden criterion is the only one to catch something, or somebody has said why it is there."""
    alone = {name for _, r in evidence.mistakes if len(found := failures(r)) == 1 for name in found}
    hidden = [result.criterion for result in evidence.solution.criteria if result.criterion.hidden]
    missing = [c.id for c in hidden if c.id not in alone | alone_among_mutants and c.id not in evidence.justified]
    stale = sorted(set(evidence.justified) - set(known))
    empty = [name for name, why in evidence.justified.items() if not why.strip()]
    justified = sum(c.id in evidence.justified and c.id not in alone | alone_among_mutants for c in hidden)
    return Proof(
        claim="Every criterion is needed",
        finding=f"{len(hidden)} hidden: {len(hidden) - len(missing) - justified} alone catch something, "
        f"{justified} justified",
        problems=(
            *(f"{name} catches nothing that no other catches." for name in missing),
            *(f"justified.{name}: there is no such criterion." for name in stale),
            *(f"justified.{name}: says nothing." for name in empty),
        ),
        remedy="Add a misconception that only it catches, say under [justified] why it is there, or take it out.",
    )


def prove_steadiness(evidence: Evidence, seeds: int) -> Proof:
    """Other seeds, the same verdicts; of a misconception, that it is caught."""
    expected = {"solution": evidence.solution, "stub": evidence.stub}
    expected |= {f"variant {name}": result for name, result in evidence.variants.items()}
    problems = []
    for name, result in evidence.other_seeds.items():
        what = name.rpartition(", seed ")[0]
        if what in expected:
            problems += [f"{name}: {words}" for words in _differences(result, expected[what])]
        elif not failures(result):
            problems.append(f"{name}: gets full marks")
    return Proof(
        claim="No test is flaky",
        finding=f"{len(evidence.other_seeds)} judged with {seeds} other seeds",
        problems=tuple(problems),
        remedy="Draw inputs for which the claim always holds, or allow for rounding.",
    )


def prove_agreement(evidence: Evidence, *, confined: bool) -> Proof:
    """The same verdicts, in process and confined; of a misconception, that it is caught: what it draws by itself may
    be another thing there."""
    problems = []
    for name, (here, there) in evidence.in_process.items():
        differences = _differences(here, there)
        if name.startswith("misconception ") and failures(here) and failures(there):
            continue
        problems += [f"{name}, in process and confined: {words}" for words in differences]
    found = f"{len(evidence.in_process)} files" if confined else "not compared, there is no confinement here"
    return Proof(
        claim="Both transports agree",
        finding=found,
        problems=tuple(problems),
        remedy="A test must not rely on sharing a process with the student's code.",
    )


def prove_nothing_to_mutate(reason: str) -> Proof:
    return Proof(claim="Mutants are killed", finding=f"none are made. {reason}")


def prove_mutants(mutation: Mutation, complaints: Sequence[str]) -> Proof:
    """Enough of them are killed, and what is called equivalent is."""
    problems = list(complaints)
    if mutation.rate < TARGET:
        problems.append(f"{len(mutation.survivors)} survive, shown below; at least {TARGET:.0%} should be killed.")
    return Proof(
        claim="Mutants are killed",
        finding=f"{mutation.rate:.1%}, {mutation.killed} of {mutation.made - mutation.equivalent}; "
        f"{mutation.equivalent} equivalent",
        problems=tuple(problems),
        remedy="Add a check that tells a survivor from the solution; if there can be none, list it with the reason in "
        "solutions/equivalents.",
    )


def _complaints(result: ExerciseResult, *, only_faults: bool = False) -> list[str]:
    found = [f"not judged: {_brief(result.fault)}"] if result.fault else []
    if result.problem and not only_faults:
        return [*found, _not_imported(result)]
    for one in result.criteria:
        if not one.passed and (one.verdict is Verdict.GRADER_FAULT or not only_faults):
            found.append(f"{one.criterion.id}: {one.verdict}, {one.message}")
    return found


def _brief(fault: str) -> str:
    """Of a traceback through pytest only the last line says anything to an author."""
    lines = fault.splitlines()
    inner = [line for line in lines if line.startswith("INTERNALERROR> ") and line[15:].strip()]
    return f"{lines[0]}: {inner[-1][15:].strip()}" if inner else fault


def _not_imported(result: ExerciseResult) -> str:
    """Once, and not for each criterion."""
    return result.problem


def _differences(one: ExerciseResult, other: ExerciseResult) -> list[str]:
    if one.fault or other.fault:
        return [f"not judged: {one.fault or other.fault}"]
    first, second = ({c.criterion.id: c for c in result.criteria} for result in (one, other))
    return [
        f"{name}: {_word(first, name)} and {_word(second, name)}"
        for name in dict.fromkeys([*first, *second])
        if name not in first or name not in second or first[name].verdict is not second[name].verdict
    ]


def _word(results: Mapping[str, CriterionResult], name: str) -> str:
    found = results.get(name)
    return "not run" if found is None else f"{found.verdict}{f' ({found.message})' if found.message else ''}"
