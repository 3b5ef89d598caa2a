"""A template prints code and nothing else: `finalize` sees to it, and the lint to what `finalize`
cannot see.
"""

from pathlib import Path

import jinja2
import pytest

from mcpgen.paths import template_root
from mcpgen.render.literal import FILTERS, Code, UnsafeValue, environment, make_environment

from .template_lint import lint

TEMPLATES = sorted(
    path.relative_to(template_root()).as_posix() for path in template_root().rglob("*.jinja")
)


def rendered(source: str, **context: object) -> str:
    loader = jinja2.DictLoader({"t": source, "part": "{{ s | literal }}"})
    return (
        make_environment(loader)
        .get_template("t")
        .render({"s": "text", "c": Code("code"), **context})
    )


def faults(source: str) -> list[str]:
    return lint(source, environment())


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_passes_the_lint(name: str) -> None:
    assert lint((template_root() / name).read_text("utf-8"), environment(), name) == []


@pytest.mark.parametrize("source", [
    "{{ s }}", "{{ 3 }}", "{{ 'x' }}", "{{ none }}", "{{ missing }}", "{{ s.missing }}",
    "{{ s | literal ~ s }}", "{{ (s | literal) + s }}", "{{ (s | literal).upper() }}",
    "{{ (s | literal)[0:2] }}", "{{ [s | literal, s] | join }}", "{{ '%s' | format(s) }}",
    "{{ '%s' % s }}", "{{ s | safe }}", "{{ s | tojson }}", "{{ s | e }}", "{{ s | upper }}",
    "{{ s if s else c }}", "{{ range(3) }}", "{{ dict() }}", "{{ lipsum() }}", "{{ s.__class__ }}",
    "{{ c.__class__.__mro__ }}", "{{ self }}", "{% if s is defined %}{% endif %}",
    "{% macro m() %}{{ s }}{% endmacro %}{{ m() }}", "{% macro m() %}x{% endmacro %}{{ m() }}",
    "{% set x %}{{ c }}{% endset %}{{ x }}", "{% call s() %}{% endcall %}",
])  # fmt: skip
def test_what_is_not_code_is_never_printed(source: str) -> None:
    with pytest.raises((UnsafeValue, jinja2.TemplateError, TypeError)):
        rendered(source)


def test_what_went_through_a_filter_is_printed() -> None:
    assert (
        rendered("x = {{ s | literal }}, {{ c | code }}{% include 'part' %}")
        == 'x = "text", code"text"'
    )


def test_finalize_does_not_stop_a_filter_block_and_the_lint_does() -> None:
    assert faults("{% filter literal %}{{ s | literal }}{% endfilter %}")


@pytest.mark.parametrize(("source", "what"), [
    ("{% filter literal %}x{% endfilter %}", "FilterBlock"),
    ("{% macro m() %}{% endmacro %}", "Macro"), ("{% call s() %}{% endcall %}", "CallBlock"),
    ("{% set x %}x{% endset %}", "AssignBlock"), ("{% set x = s %}", "Assign"),
    ("{% import 'part' as p %}", "Import"), ("{% from 'part' import p %}", "FromImport"),
    ("{% extends 'part' %}", "Extends"), ("{% block b %}{% endblock %}", "Block"),
    ("{{ s() }}", "Call"), ("{% if s.items() %}{% endif %}", "Call"),
    ("{{ s }}", "prints something else"), ("{{ 'x' | literal }}", "prints something else"),
    ("{{ s[0] | literal }}", "prints something else"),
    ("{{ (s ~ s) | literal }}", "Concat"), ("{{ (s if s else s) | literal }}", "CondExpr"),
    ("{{ s | literal | code }}", "prints something else"),
    ("{{ s | literal(1) }}", "prints something else"),
    ("{{ s | upper }}", "filter `upper`"), ("{{ s | safe }}", "filter `safe`"),
    ("{% if s is string %}{% endif %}", "Test"), ("{% include s %}", "not named by a constant"),
    ("{{ s", "end of"),
])  # fmt: skip
def test_the_lint_refuses(source: str, what: str) -> None:
    assert any(what in line for line in faults(source)), faults(source)


@pytest.mark.parametrize("line", [
    'x = f"{{ s | literal }}"', 'x = "{{ s | literal }}"', "x = '{{ c | code }}'",
    '"""A docstring with {{ s | docstring }}"""', "# {{ s | literal }}", "x = 1  # {{ c | code }}",
])  # fmt: skip
def test_an_expression_stands_in_no_string_and_no_comment(line: str) -> None:
    assert any("into a string" in fault for fault in lint(line, environment(), "x.py.jinja"))
    assert not lint("x = {{ s | literal }}", environment(), "x.py.jinja")


def test_an_autoescape_switch_is_not_even_understood() -> None:
    assert faults("{% autoescape true %}{% endautoescape %}")


def test_the_environment_has_no_tables_but_its_own() -> None:
    assert set(environment().filters) == set(FILTERS)
    assert not environment().globals and not environment().tests


def test_the_templates_are_found_in_a_checkout_and_in_a_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcpgen.paths.__file__", str(tmp_path / "mcpgen" / "paths.py"))
    assert template_root() == tmp_path / "templates"
    (tmp_path / "mcpgen" / "templates").mkdir(parents=True)
    assert template_root() == tmp_path / "mcpgen" / "templates"
