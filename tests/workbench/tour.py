"""A way through the workbench by clicks and keys alone, on the bookshop or on a large document."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .hostile import BOOKSHOP

PICTURE = 1100
"""The width of a picture, which pages of docs/ show smaller."""
SLOW = 120_000
"""Milliseconds that an answer may take on a busy machine."""
DESCRIPTION = "Find them. One page at a time."
ARGUMENT = "Only these."


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What is typed and clicked on the way through a document. `gap` is text that is taken out of
    the document, so that there is something to repair, with `filled`; `moved` is an address in it, and what it
    becomes before the document is looked at again.
    """

    server: str
    credential: str
    words: str
    fits: str
    limit: int
    tool: str
    operation: str
    name: str
    argument: str
    out: str
    out_operation: str
    call: tuple[tuple[str, str], ...]
    question: str
    moved: tuple[str, str]
    gap: str
    filled: str
    wide: str = ""

    @property
    def tables(self) -> str:
        """What the edits of the tool add to `mcpgen.toml`."""
        table = f"tools.{self.operation}"
        if "/" in self.operation:
            table = f'tools."{self.operation}"'
        return f"""
[{table}]
name = "{self.name}"
description = "{DESCRIPTION}"

[{table}.hints]
idempotent = true

[{table}.arguments.{self.argument}]
description = "{ARGUMENT}"
"""


COURSES = {
    "bookshop": Course(server="bookshop", credential="API_KEY", words="cancel order",
        fits="cancel_order", limit=6, tool="list_books", operation="listBooks", name="find_books",
        argument="genre", out="add_book", out_operation="addBook",
        call=(("genre", '"poetry"'), ("page_size", "2")), question="list the orders of a customer",
        moved=("https://api.bookshop.example", "https://shop.example"),
        gap="      summary: Get one book\n", filled="Read one book of the catalogue"),
    "github": Course(server="github", credential="TOKEN", words="create an issue",
        fits="issues_create", limit=40, tool="issues_list_for_repo",
        operation="issues/list-for-repo", name="find_issues", argument="labels", out="update_org",
        out_operation="orgs/update",
        call=(("owner", "octocat"), ("repo", "hello-world"), ("state", '"open"')),
        question="which issues of a repository are still open",
        moved=("https://api.github.com", "https://github.example"),
        gap='        "summary": "List gist forks",\n', filled="List the forks of a gist",
        wide="repos_update_branch_protection"),
}  # fmt: skip


def source() -> tuple[Path, Course]:
    """The document of the tour: `DOCUMENT` of the environment where there is a course for it, else
    the bookshop.
    """
    path = Path(os.environ.get("DOCUMENT") or BOOKSHOP)
    if path.stem not in COURSES:
        path = BOOKSHOP
    return path, COURSES[path.stem]


def follow(page: Any, name: str) -> None:
    """Go to another page by its link at the top."""
    link = page.get_by_role("navigation").get_by_role("link", name=name)
    path = link.get_attribute("href")
    link.click()
    page.wait_for_url(f"**{path}")
    page.wait_for_load_state("networkidle")


class Tour:
    """A person at the workbench, at a screen of some width. Every step begins on the page that the
    one before ends on.
    """

    def __init__(self, page: Any, width: int, course: Course, pictures: Path) -> None:
        page.set_default_timeout(SLOW)
        self.page, self.width, self.course, self.pictures = page, width, course, pictures

    def picture(self, name: str, height: int = 800) -> None:
        """A picture of what can be seen now, in which nothing is wider than the screen."""
        self.page.set_viewport_size({"width": min(self.width, PICTURE), "height": height})
        self.page.wait_for_timeout(200)
        self.page.screenshot(path=self.pictures / f"{name}.png")
        self.page.set_viewport_size({"width": self.width, "height": 900})
        wide = self.page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= self.width, (name, wide)

    def follow(self, name: str) -> None:
        """Go to a page by its link at the top."""
        follow(self.page, name)

    def renewed_by(self, name: str) -> None:
        """Press a button after which nothing is pending, and the page comes anew."""
        with self.page.expect_event("load"):
            self.page.get_by_role("button", name=name).click()
        self.page.wait_for_load_state("networkidle")
        assert self.page.locator("#pending:empty").count() == 1

    def overview(self, address: str) -> str:
        """The map by kind and by score, what clients take, what is skipped; all its text."""
        self.page.goto(address)
        self.page.wait_for_selector(".budget")
        self.page.wait_for_selector("#by-score:enabled")
        self.picture("overview", 880)
        self.page.click("#by-score")
        scored = self.page.locator(".leaf.q1, .leaf.q2, .leaf.q3, .leaf.q4, .leaf.q5")
        assert scored.count() == self.page.locator(".leaf").count()
        return str(self.page.inner_text("main"))

    def filter(self) -> int:
        """Filter by typing, sort by clicks; the number of rows that fit."""
        self.follow("Tools")
        self.page.keyboard.press("/")
        self.page.keyboard.type(self.course.words)
        assert self.page.locator(f"tr[data-name={self.course.fits}]").is_visible()
        fitting = int(self.page.inner_text("#count").split()[0].replace(",", ""))
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Delete")
        columns = ("tokens", "score", "name") if self.width > 700 else ()  # a phone has no heads
        for column in columns:
            self.page.click(f"th[data-sort={column}] button")
            assert self.page.locator(f"th[data-sort={column}][aria-sort]").count() == 1
            rows = self.page.locator("tbody tr[data-tokens]").all()
            costs = [int(row.get_attribute("data-tokens")) for row in rows]
            assert column != "tokens" or costs == sorted(costs, reverse=True)
        return fitting

    def choose(self) -> None:
        """Leave a method out, undo that, take what is suggested, and tick one off."""
        self.page.select_option("select[data-facet=method]", "DELETE")
        self.page.get_by_role("button", name="Leave these out").click()
        self.page.wait_for_selector("#pending summary")
        self.page.click("#pending summary")
        assert '+exclude_methods = ["delete"]' in self.page.inner_text("#pending pre")
        self.renewed_by("Undo")
        assert self.page.input_value("select[data-facet=method]") == "DELETE"
        self.page.select_option("select[data-facet=method]", "")
        self.page.fill("[name=limit]", str(self.course.limit))
        self.page.get_by_role("button", name="Suggest").click()
        self.page.wait_for_selector(f"#kept:text-is('{self.course.limit}')")
        self.page.fill("#search", self.course.out)
        self.page.get_by_label(f"keep {self.course.out}", exact=True).uncheck()
        self.page.wait_for_selector(f"#kept:text-is('{self.course.limit - 1}')")

    def edit(self) -> list[str]:
        """Edit a name, a text, a hint and an argument in the table, and save; the lines that this
        and the choice before it add to `mcpgen.toml`.
        """
        course, page = self.course, self.page
        page.fill("#search", course.tool)
        row = page.locator(f"tr[data-name={course.tool}]")
        tokens = row.locator(".tokens").inner_text()
        row.get_by_role("button", name="edit").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("form.editor")
        page.keyboard.type(course.name)
        page.keyboard.press("Tab")
        renamed = page.locator(f"tr[data-name={course.name}]")
        renamed.wait_for()
        page.get_by_label("description", exact=True).first.fill(DESCRIPTION)
        page.keyboard.press("Tab")
        page.wait_for_selector(f"tr[data-name={course.name}] .text:text-is('{DESCRIPTION}')")
        assert renamed.locator(".tokens").inner_text() != tokens
        page.get_by_label("idempotent", exact=True).first.select_option("true")
        page.locator("form.editor summary").get_by_text(course.argument, exact=True).click()
        page.locator("form.editor details[open]").get_by_label("description").fill(ARGUMENT)
        page.keyboard.press("Tab")
        page.click("#pending summary")
        page.wait_for_selector(f"#pending pre:has-text('+description = \"{ARGUMENT}\"')")
        page.wait_for_load_state("networkidle")
        page.evaluate("() => document.querySelector('form.editor').scrollIntoView()")
        page.evaluate("() => document.querySelector('#pending pre').scrollTo(0, 1e6)")
        self.picture("tools", 860)
        changed = page.locator("#pending pre .line:not(.soft)").all_text_contents()
        lines = [line.rstrip("\n") for line in changed if not line.startswith(" ")]
        assert all(line.startswith("+") for line in lines)
        page.get_by_role("button", name="Save").click()
        page.wait_for_selector("#pending:empty", state="attached")
        assert page.locator("form.editor").is_visible()
        return [line[1:] for line in lines]

    def try_it(self) -> tuple[str, str]:
        """Look at a tool, show its request, send it; both texts."""
        course, page = self.course, self.page
        page.fill("#search", course.name)
        page.get_by_role("link", name=course.name, exact=True).click()
        page.wait_for_selector("#tool-score:not(:text-is('…'))")
        for name, value in course.call:
            field = page.locator("#call").get_by_label(name)
            if field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        page.get_by_role("button", name="Show the request").click()
        page.wait_for_selector("#outcome pre")
        request = page.inner_text("#outcome")
        page.get_by_role("button", name="Send it").click()
        page.wait_for_selector("#outcome summary")
        page.locator("#outcome summary").first.click(position={"x": 4, "y": 8})
        page.locator("#call button").first.scroll_into_view_if_needed()
        page.evaluate("() => document.querySelector('#outcome').scrollIntoView({block: 'center'})")
        self.picture("call", 700)
        return request, page.inner_text("#outcome")

    def look_at_what_was_cut(self) -> None:
        """The page of a tool from which much was cut."""
        self.follow("Tools")
        self.page.fill("#search", self.course.wide)
        self.page.get_by_role("link", name=self.course.wide, exact=True).click()
        self.page.wait_for_selector("#tool-score:not(:text-is('…'))")
        self.page.click("#cut summary")
        self.page.evaluate("() => document.querySelector('#cut').scrollIntoView()")
        assert self.page.locator("#cut mark").count() > 10
        self.picture("cut", 560)

    def find(self) -> list[str]:
        """Ask as a model does; the tools in their order."""
        self.follow("Find")
        self.page.wait_for_selector("input:focus")
        self.page.keyboard.type(self.course.question)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".places .word")
        self.picture("find", 560)
        return [str(name) for name in self.page.locator(".places a").all_inner_texts()]

    def mend(self) -> None:
        """Add the first repair that can be added, and save it."""
        self.follow("Problems")
        self.page.wait_for_selector("form.mend button")
        form = self.page.locator("form.mend", has=self.page.locator("button")).first
        if form.locator("input").count():
            form.locator("input").fill(self.course.filled)
        form.get_by_role("button").click()
        self.page.wait_for_selector("form.mend .good")
        self.page.click("#pending summary")
        self.page.evaluate("() => document.querySelector('form.mend .good').scrollIntoView()")
        self.page.mouse.wheel(0, -200)
        self.picture("problems", 700)
        self.renewed_by("Save")

    def generate(self) -> None:
        """Generate what was saved."""
        self.follow("Changes")
        self.page.click("#generate:enabled")
        self.page.wait_for_selector("#generated .good")

    def accept(self) -> str:
        """Accept what must be accepted, item by item, and generate; what changes, as text."""
        self.follow("Changes")
        self.page.wait_for_selector("#generate")
        assert self.page.locator("#generate").is_disabled()
        self.picture("changes", 760)
        text = str(self.page.inner_text("main"))
        for box in self.page.locator("[name=accepted]").all():
            box.check()
        self.page.click("#generate:enabled")
        self.page.wait_for_selector("#generated .good")
        return text
