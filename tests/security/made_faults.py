"""Faults that a program makes: `python -m tests.security.mutants --seed N [--sample 300]`.

A seed draws lines of what keeps servers safe, and for each line one mutation: one of cosmic-ray's,
or of those below. The tests that run the line, the quickest first, must notice it, and pass without
it; or else the types, which are part of the gate (`make lint`). `--measure` finds out which tests
run which lines, as the first run does; `--measure runtime cli/test_pages.py` looks at those alone
again. A fault that changes nothing is listed in `excused.toml` with the reason.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import json
import keyword
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names
from coverage import CoverageData

from .contexts import COVERAGE
from .mutants import ROOT, copy, run

KERNEL = """
    compare/*.py lock/*.py workbench/guard.py write/*.py
    load/fetch.py load/files.py load/overlay.py load/text.py load/document.py load/source.py
    runtime/call*.py runtime/limits.py runtime/log.py runtime/se*.py
    runtime/arguments/*.py runtime/client/*.py runtime/facts.py runtime/pointer.py
    runtime/transports/*.py runtime/parts/*.py runtime/parts/*/*.py
""".split()
"""Modules below `mcpgen/`: what is checked, sent, kept, agreed to and written."""
READING = re.compile(r"/parts/(search/|code/(source|stubs)\.py)")
"""Modules of them that choose and word what a model reads."""
TESTS = """
    runtime server security write definitions workbench regenerate load workflows live judges cli
    cases
""".split()
READ = "tests/security/test_sources.py"
"""Tests that read every line, and run none."""
WORDS = {*keyword.kwlist, "self", "test", "none", "true", "false", "text", "name", "value"}
"""Words of a line that say little of what it is about."""
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
LEFT_OUT = "browser tour mutants corpus".split()
"""Tests that look at other things, or take long."""
DATA = ROOT / ".mutants"
BUDGET = 90
"""Seconds of tests for a fault."""
ALIKE = re.compile(
    "_(Eq_Is|NotEq_IsNot|Is_Eq|IsNot_NotEq|Eq_IsNot|NotEq_Is)$|/NumberReplacer|/Variable"
)
"""Mutations of cosmic-ray that change nothing (texts that are equal are often one object), or move
a limit by one, which `large_number` does in a way that matters.
"""


def removed_statement(node: Any) -> str | None:
    """`check(x)` or `raise …` → `pass`"""
    is_one = node.type in ("atom_expr", "raise_stmt") and node.parent.type == "simple_stmt"
    return "pass" if is_one else None


def removed_argument(node: Any) -> str | None:
    """`f(a, b=c)` → `f(a, **{})`"""
    return "**{}" if node.type == "argument" and node.children[1] == "=" else None


def large_number(node: Any) -> str | None:
    """`30` → `30001`, `0` → `1001`"""
    is_one = node.type == "number" and node.value.replace("_", "").isdigit()
    return str(1000 * (int(node.value) or 1) + 1) if is_one else None


def other_text(node: Any) -> str | None:
    """`"etag"` → `"etagX"`; sentences and patterns stay."""
    if node.type != "string" or node.parent.type in ("simple_stmt", "strings"):
        return None
    is_word = re.fullmatch(r"""["'][^\s\\`]*["']""", node.value)
    return f"{node.value[:-1]}X{node.value[-1]}" if is_word else None


def no_value(node: Any) -> str | None:
    """`return x` → `return None`, `x = f()` → `x = None`; for lines without another fault."""
    is_last = node.parent and node is node.parent.children[-1]
    if not is_last or node.parent.type not in ("return_stmt", "expr_stmt"):
        return None
    return None if node.type in ("annassign", "keyword", "operator", "number", "string") else "None"


class Replacement(Operator):
    """A mutation that puts another text in the place of nodes."""

    def __init__(self, text: Callable[[Any], str | None]) -> None:
        self.text = text

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """Yield where a node can be replaced."""
        if self.text(node) is not None:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Return what takes the place of a node."""
        return parso.parse(f"{node.get_first_leaf().prefix}{self.text(node)}")

    @classmethod
    def examples(cls) -> tuple[()]:
        """Return none: they are above."""
        return ()


OWN = (removed_statement, removed_argument, large_number, other_text, no_value)
OPERATORS: list[Operator] = [
    *(get_operator(name)() for name in operator_names() if not ALIKE.search(name)),
    *map(Replacement, OWN),
]


class Fault(NamedTuple):
    """One mutation of a module."""

    file: str
    line: int
    operator: Operator
    occurrence: int

    def made(self) -> tuple[str, str, str]:
        """Return the module with the fault, and the lines that differ, before and after."""
        whole = (ROOT / self.file).read_text("utf-8")
        broken = mutate_code(whole, self.operator, self.occurrence)
        parts: dict[str, list[str]] = {"-": [], "+": []}
        for line in difflib.ndiff(whole.splitlines(), broken.splitlines()):
            parts.get(line[0], []).append(line[1:].strip())
        return broken, " ".join(parts["-"]), " ".join(parts["+"])

    @property
    def is_dull(self) -> bool:
        """Return whether nearly every test notices it."""
        return getattr(self.operator, "text", None) is no_value


def types(whole: str) -> set[tuple[int, int]]:
    """Return the positions that only type checkers read."""
    spans: list[Any] = []
    tree = ast.parse(whole)
    for node in ast.walk(tree):
        spans += [getattr(node, name, None) for name in ("annotation", "returns")]
        if isinstance(node, (ast.If, ast.Call)):
            name = ast.unparse(node.test if isinstance(node, ast.If) else node.func)
            spans += [node] if name in ("TYPE_CHECKING", "cast", "NewType", "TypeVar") else []
        if "overload" in map(ast.unparse, getattr(node, "decorator_list", ())):
            spans.append(node)
    for node in tree.body:
        if isinstance(node, ast.Assign):
            name, value = ast.unparse(node.targets[0]), ast.unparse(node.value)
            is_type = re.match(r"[A-Z]?[a-z]+\[|\w+ \| ", value)  # `Check = Callable[[str], None]`
            spans += [node] if is_type or name == "__all__" else []
    return {
        (line, column)
        for span in filter(None, spans)
        for line in range(span.lineno, span.end_lineno + 1)
        for column in range(200)
        if (span.lineno, span.col_offset) <= (line, column)
        if (line, column) < (span.end_lineno, span.end_col_offset)
    }


def faults(file: str) -> Iterator[Fault]:
    """Yield the faults of a module."""
    whole = (ROOT / file).read_text("utf-8")
    ignored, nodes = types(whole), list(ast_nodes(get_ast(whole)))
    for operator in OPERATORS:
        positions = [place for node in nodes for place in operator.mutation_positions(node)]
        for number, (start, _) in enumerate(positions):
            if start not in ignored:
                yield Fault(file, start[0], operator, number)


def drawn(seed: int, sample: int) -> list[Fault]:
    """Draw lines, and of each line one fault."""
    paths = {path for name in KERNEL for path in (ROOT / "mcpgen").glob(name)}
    paths = {path for path in paths if not READING.search(path.as_posix())}
    lines: dict[tuple[str, int], list[Fault]] = {}
    for path in sorted(paths):
        for fault in faults(path.relative_to(ROOT).as_posix()):
            lines.setdefault((fault.file, fault.line), []).append(fault)
    count = sum(map(len, lines.values()))
    print(f"{count:,} faults of {len(lines):,} lines in {len(paths)} modules", flush=True)
    chance, found = random.Random(seed), []
    for place in chance.sample(sorted(lines), len(lines)):
        fault = chance.choice([each for each in lines[place] if not each.is_dull] or lines[place])
        with contextlib.suppress(SyntaxError, AttributeError):  # `except (A, b.C)` is beyond it
            compile(fault.made()[0], fault.file, "exec")
            found.append(fault)
        if len(found) == sample:
            break
    return found


def prepared(place: Path) -> Path:
    """Copy the sources; compiled ones are valid for their text, whatever its time."""
    copy(place)
    words = ["-m", "compileall", "-qq", "--invalidation-mode", "checked-hash", "mcpgen"]
    subprocess.run([sys.executable, *words], cwd=place, check=True)
    return place


def measure(workers: int, names: list[str]) -> None:
    """Run the tests of some places, or all, and keep which lines each of them runs."""
    seconds: dict[str, float] = {}
    if names:
        seconds = json.loads((DATA / "seconds.json").read_text("utf-8"))
    else:
        shutil.rmtree(DATA, ignore_errors=True)
        shutil.copytree(ROOT / "mcpgen", DATA / "mcpgen")
    with tempfile.TemporaryDirectory() as folder:
        place, data = prepared(Path(folder) / "copy"), Path(folder) / "data"
        shutil.copytree(DATA / "mcpgen", place / "mcpgen", dirs_exist_ok=True)
        (place / "coveragerc").write_text(COVERAGE)
        more = {"COVERAGE_PROCESS_START": f"{place}/coveragerc", "COVERAGE_FILE": f"{data}/lines"}
        more["SECONDS_OF_TESTS"] = f"{folder}/seconds"
        combine = [sys.executable, "-m", "coverage", "combine", "-q", "--append"]
        combine += [f"--rcfile={place}/coveragerc", f"--data-file={DATA}/lines", str(data)]
        for name in names or TESTS:
            data.mkdir(exist_ok=True)
            words = [f"tests/{name}", "-n", str(workers), "--dist", "loadfile"]
            words += ["-p", "tests.security.contexts"]
            words += [f"--ignore-glob=*/test_{left_out}.py" for left_out in LEFT_OUT]
            print(name, run(words, place, 3600, **more)[1][-500:], flush=True)
            subprocess.run(combine, cwd=place, check=True)
            seconds |= json.loads(Path(folder, "seconds").read_text("utf-8"))
            (DATA / "seconds.json").write_text(json.dumps(seconds), "utf-8")


class Chooser:
    """The tests that run a line, as they were measured."""

    def __init__(self) -> None:
        self._seconds = json.loads((DATA / "seconds.json").read_text("utf-8"))
        self._data = CoverageData(str(DATA / "lines"))
        self._data.read()
        self._files: dict[str, list[str]] = {}
        for path in self._data.measured_files():  # one for each time that tests were measured
            name = path[path.index("mcpgen/") :]
            if (DATA / name).exists():
                self._files.setdefault(name, []).append(path)
        self._read: dict[str, dict[int, frozenset[str]]] = {}
        self._modules: dict[str, set[str]] = {}
        for test in self._seconds:
            self._modules.setdefault(test.partition("::")[0], set()).add(test)

    def tests(self, fault: Fault) -> list[str]:
        """Return those that run or read the line, then those in whose module it is run before a
        test begins: of each test its quickest case, then of each its next one, as long as there is
        time. Tests that go each way through its function come first, those whose module names what
        it defines, and those whose name has a word of it; half of the time is for the quickest.
        """
        before = (DATA / fault.file).read_text("utf-8")
        line = _line_before((ROOT / fault.file).read_text("utf-8"), before, fault.line)
        measured, near = self._contexts(fault.file), set[str]()
        contexts = measured.get(line, frozenset[str]())
        if not contexts:  # of a statement of several lines, not each is measured
            contexts = contexts.union(
                *(measured.get(each, ()) for each in _around(before, line, ast.stmt))
            )
        if not contexts:  # of what a library calls in a thread of its own, the function around it
            outer = _around(before, _around(before, line).start - 1)
            contexts = contexts.union(*(measured.get(each, ()) for each in outer))
        turns = {(fault.file, line)}
        defined = _defined(before, line)
        importing = measured.get(_around(before, line, ast.stmt).start, frozenset())
        if defined and contexts - importing:  # of a lambda, those that call it
            contexts -= importing
        elif defined:  # whatever uses it
            contexts, turns = frozenset(), set()
            name = re.compile(rf"\b({'|'.join(defined)})\b")
            path = Path(fault.file)
            of_it = re.compile(rf"\b{path.parent.name if path.stem == '__init__' else path.stem}\b")
            files = ((module, ROOT / module) for module in self._modules)
            texts_of = {module: path.read_text("utf-8") for module, path in files if path.exists()}
            wanted = re.compile("|".join(defined), re.IGNORECASE)
            near = {each for each, text in texts_of.items() if wanted.search(text)}
            for file in self._files:
                whole = (DATA / file).read_text("utf-8")
                if file != fault.file and not of_it.search(whole):
                    continue
                texts = enumerate(whole.splitlines(), 1)
                uses = [number for number, text in texts if name.search(text)]
                contexts |= {each for use in uses for each in self._contexts(file).get(use, ())}
                turns |= {(file, use) for use in uses if file == fault.file}
        lines = before.splitlines()
        if kept := re.match(r"\s+self(\.\w+)\b.*=", lines[line - 1]):  # whatever reads it
            uses = [number for number, text in enumerate(lines, 1) if kept[1] in text]
            turns |= {(fault.file, use) for use in uses}
        direct = {context.removesuffix(" (call)") for context in contexts}
        readers = self._modules.get(READ, set())
        direct |= {test for test in readers if "[" not in test or f"[{fault.file}]" in test}
        modules = {each.partition("::")[0] for each in contexts if not each.endswith(" (call)")}
        others = {test for module in modules for test in self._modules.get(module, ())}
        ways = set().union(*(self._ways(*turn, direct & self._seconds.keys()) for turn in turns))
        head = re.findall(r"def \w+", lines[max(_around(before, line).start - 1, 0)])
        named = re.findall("[a-z]{4,}", " ".join([*head, lines[line - 1]]).lower())
        words = {word.rstrip("s") for word in named} - WORDS
        chosen, left = dict[str, bool](), float(BUDGET)
        for tests in (direct & self._seconds.keys(), others - direct):
            alike: Counter[str] = Counter()
            ranks = []
            for seconds, test in sorted((self._seconds[test], test) for test in tests):
                function = test.partition("[")[0]
                alike[function] += 1
                is_far = function.partition("::")[0] not in near
                is_other = not any(word in test for word in words)
                ranks.append((test not in ways, is_far, is_other, alike[function], seconds, test))
            for order, spared in ((sorted(ranks), left / 2), (sorted(ranks, key=_seconds), 0.0)):
                for *_, seconds, test in order:
                    if test not in chosen and left - seconds > spared:
                        left -= seconds
                        chosen[test] = True
        return [*chosen]

    def _ways(self, file: str, line: int, direct: set[str]) -> set[str]:
        """Return of each other line of its function the quickest test that runs both."""
        found = set()
        for other in _around((DATA / file).read_text("utf-8"), line):
            names = {name.removesuffix(" (call)") for name in self._contexts(file).get(other, ())}
            found |= set(sorted(names & direct, key=self._seconds.__getitem__)[:1])
        return found

    def _contexts(self, file: str) -> dict[int, frozenset[str]]:
        """Return who runs the lines of a module: `tests/x.py::test_y (call)`."""
        if file not in self._read:
            found: dict[int, set[str]] = {}
            for path in self._files.get(file, ()):
                for line, names in self._data.contexts_by_lineno(path).items():
                    found.setdefault(line, set()).update(*(name.split("|") for name in names))
            self._read[file] = {line: frozenset(found[line] - {""}) for line in found}
        return self._read[file]


def _seconds(rank: tuple[Any, ...]) -> float:
    """Return how long a test takes."""
    return float(rank[-2])


def _line_before(now: str, before: str, line: int) -> int:
    """Return the number that a line had when the tests were measured."""
    match = difflib.SequenceMatcher(None, now.splitlines(), before.splitlines(), False)
    for start, old, size in match.get_matching_blocks():
        if start < line <= start + size:
            return old + line - start
    return 0


def _defined(whole: str, line: int) -> list[str]:
    """Return the names that a line defines when its module is imported, none where it runs later."""
    names = {0: ["\0"]}
    for node in ast.walk(ast.parse(whole)):
        starts = [getattr(node, "lineno", line + 1)]
        starts += [each.lineno for each in getattr(node, "decorator_list", ())]
        if isinstance(node, ast.stmt) and min(starts) <= line <= (node.end_lineno or 0):
            is_function = isinstance(node, FUNCTION)
            if is_function and line >= node.body[0].lineno:
                return []
            target = getattr(node, "targets", [getattr(node, "target", node)])[0]
            targets = (getattr(each, "id", "") for each in getattr(target, "elts", [target]))
            found = [getattr(node, "name", ""), *targets]
            names |= {node.lineno: [name for name in found if name]} if any(found) else {}
    return names[max(names)]


def tried(tests: list[str], place: Path, *words: str) -> tuple[int, list[str]]:
    """Run tests in a copy, without those that have gone; the exit code and those that failed."""
    code, missing, said = 4, {""}, ""
    while code == 4 and missing:
        tests = [test for test in tests if not {test, test.partition("[")[0]} & missing]
        (place / "chosen").write_text("\n".join(tests))
        code, said = run([*words, "@chosen"], place, 60 + 2 * BUDGET)
        missing = set(re.findall("^ERROR: not found: .*?/(tests/.*)", said, re.MULTILINE))
    if code > 3 and not re.search("found no collectors|while loading conftest", said):
        raise SystemExit(f"pytest could not run {tests}: {said[-2000:]}")
    return code, re.findall(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)


def _around(whole: str, line: int, kind: Any = FUNCTION) -> range:
    """Return the lines of the function that a line is in, or of the statement without its body."""
    found = range(0)
    for node in ast.walk(ast.parse(whole)):
        if isinstance(node, kind):
            end = node.end_lineno or 0
            if (body := getattr(node, "body", None)) and kind is ast.stmt:
                end = body[0].lineno - 1
            own = range(node.lineno, end + 1)
            found = own if line in own else found
    return found


def typed(place: Path, file: str) -> int:
    """Look at the types of a module; 0 where they are right."""
    words = [sys.executable, "-m", "mypy", "--cache-dir", ".mypy", file]
    return subprocess.run(words, cwd=place, check=False, stdout=subprocess.DEVNULL).returncode


def judged(fault: Fault, tests: list[str], place: Path) -> tuple[str, str]:
    """Break a copy, run the tests, and mend it; the verdict, and the test that failed."""
    path = place / fault.file
    whole = path.read_text("utf-8")
    if not tests:
        return "SURVIVED", "no test runs this line"
    path.write_text(fault.made()[0], "utf-8")
    try:
        code, failed = tried(tests, place, "-x")
        if code == 0 and "Exception" not in fault.operator.__class__.__name__:  # a name of its own
            code, failed = typed(place, fault.file), ["mypy"]
    finally:
        path.write_text(whole, "utf-8")
    if any(test.startswith("tests/cases") for test in failed):  # they write what they found
        shutil.copytree(ROOT / "tests/cases", place / "tests/cases", dirs_exist_ok=True)
    return ("caught" if code else "SURVIVED"), (failed or [f"exit code {code}"])[0]


def main(words: list[str]) -> int:
    """Draw faults, judge them, and list what survives; 1 when something does without an excuse."""
    parser = argparse.ArgumentParser(prog="mutants", description="Make faults by a program.")
    parser.add_argument("--seed", type=int, default=0, help="draws the sample")
    parser.add_argument("--sample", type=int, default=300, help="faults to make")
    parser.add_argument("--jobs", type=int, default=2, help="faults at a time")
    parser.add_argument("--measure", nargs="*", help="which tests run which lines, anew")
    given = parser.parse_args(words)
    if given.measure is not None or not (DATA / "lines").exists():
        measure(given.jobs, given.measure or [])
    excuses = tomllib.loads((Path(__file__).parent / "excused.toml").read_text("utf-8"))
    excused = {(entry["file"], entry["old"], entry["new"]) for entry in excuses.get("fault", ())}
    chooser, places, counts = Chooser(), queue.SimpleQueue[Path](), dict.fromkeys(VERDICTS, 0)
    started, noticed = time.monotonic(), set[str]()

    def one(fault: Fault) -> tuple[Fault, float, str, str]:
        place, began = places.get(), time.monotonic()
        try:
            verdict, why = judged(fault, chooser.tests(fault), place)
        finally:
            places.put(place)
        return fault, time.monotonic() - began, verdict, why

    made = drawn(given.seed, given.sample)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        for number in range(given.jobs):
            places.put(prepared(Path(folder) / str(number)))
        for fault, seconds, verdict, why in pool.map(one, made):
            _, old, new = fault.made()
            if verdict == "SURVIVED" and (fault.file, old, new) in excused:
                verdict = "excused"
            counts[verdict] += 1
            noticed |= {why} if "::" in why else set()
            print(f"{verdict:8} {seconds:5.1f} s  {fault.file}:{fault.line}  {why}", flush=True)
            if verdict == "SURVIVED":
                print(f"    old = {json.dumps(old)}\n    new = {json.dumps(new)}", flush=True)
        for test in tried(sorted(noticed), places.get())[1]:
            print(f"{test} fails without a fault, too", flush=True)
    said = ", ".join(f"{count} {verdict.lower()}" for verdict, count in counts.items())
    share = 100 * counts["caught"] / len(made)
    print(f"seed {given.seed}: {said} ({share:.1f} %), {time.monotonic() - started:.0f} s")
    return 1 if counts["SURVIVED"] else 0


VERDICTS = ("caught", "excused", "SURVIVED")
