"""The options several commands share, each said once; and how they become a `Config`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ..config import Config, Selection

CHOOSING = "Which operations become tools"
SAYING = "What is printed"


class Format(StrEnum):
    """How problems are written."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"


class Draft(StrEnum):
    """Drafts of JSON Schema."""

    draft_4 = "4"
    draft_6 = "6"
    draft_7 = "7"
    draft_2019_09 = "2019-09"
    draft_2020_12 = "2020-12"


class Profile(StrEnum):
    """What the tool list may contain."""

    portable = "portable"
    rich = "rich"


Documents = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SPEC",
        help=(
            "The API description, a list of tools or a JSON Schema: a path, a URL, or `-` for"
            " standard input; several files or a folder for one server. Without one, the project in"
            " the current folder says where it is."
        ),
        show_default=False,
    ),
]
Overlays = Annotated[
    list[str] | None,
    typer.Option(
        "--overlay", metavar="FILE", help="Apply an OpenAPI Overlay first. Repeatable, in order."
    ),
]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The server's name, in place of the title."),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url", metavar="URL", help="Where the API is, in place of the document's servers."
    ),
]
AllowOrigins = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-origin",
        metavar="ORIGIN",
        help="Let operations call this further origin too. Repeatable.",
    ),
]
ProfileOption = Annotated[
    Profile,
    typer.Option(
        "--profile",
        help="`portable` fits every client; `rich` keeps `$defs` and unions.",
        case_sensitive=False,
    ),
]
DraftOption = Annotated[
    Draft | None,
    typer.Option(
        "--draft",
        help="The JSON Schema draft of schemas that do not say theirs.",
        case_sensitive=False,
    ),
]
RefRoot = Annotated[
    str | None,
    typer.Option(
        "--ref-root", metavar="FOLDER", help="The folder that `$ref`s to other files may reach."
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        "--max-bytes", metavar="N", min=1, help="How large the document may be, in place of 25 MiB."
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="End with an error where there would be a warning.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Only problems.", rich_help_panel=SAYING)
]
AsJson = Annotated[
    bool, typer.Option("--json", help="A summary for programs on stdout.", rich_help_panel=SAYING)
]
FormatOption = Annotated[
    Format,
    typer.Option(
        "--format", help="How problems are written.", case_sensitive=False, rich_help_panel=SAYING
    ),
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug", help="Show the traceback when something fails.", rich_help_panel=SAYING
    ),
]


def _choice(flag: str, metavar: str, text: str) -> object:
    return typer.Option(flag, metavar=metavar, help=f"{text} Repeatable.", rich_help_panel=CHOOSING)


IncludeTags = Annotated[
    list[str] | None, _choice("--include-tag", "TAG", "Only operations with this tag.")
]
ExcludeTags = Annotated[
    list[str] | None, _choice("--exclude-tag", "TAG", "No operations with this tag.")
]
IncludePaths = Annotated[
    list[str] | None, _choice("--include-path", "GLOB", "Only paths like `/books/*`.")
]
ExcludePaths = Annotated[list[str] | None, _choice("--exclude-path", "GLOB", "No paths like this.")]
IncludeMethods = Annotated[
    list[str] | None, _choice("--include-method", "METHOD", "Only this HTTP method.")
]
ExcludeMethods = Annotated[
    list[str] | None, _choice("--exclude-method", "METHOD", "Not this HTTP method.")
]
IncludeOperations = Annotated[
    list[str] | None,
    _choice("--include-operation", "ID", "Only this operationId (a glob) or `METHOD /path`."),
]
ExcludeOperations = Annotated[
    list[str] | None,
    _choice("--exclude-operation", "ID", "Not this operationId (a glob) or `METHOD /path`."),
]
NoDeprecated = Annotated[
    bool,
    typer.Option(
        "--no-deprecated", help="Leave out deprecated operations.", rich_help_panel=CHOOSING
    ),
]


def selection(
    *,
    include_tag: list[str] | None,
    exclude_tag: list[str] | None,
    include_path: list[str] | None,
    exclude_path: list[str] | None,
    include_method: list[str] | None,
    exclude_method: list[str] | None,
    include_operation: list[str] | None,
    exclude_operation: list[str] | None,
    no_deprecated: bool,
) -> Selection:
    """The choice the options make."""
    return Selection(
        include_tags=tuple(include_tag or ()),
        exclude_tags=tuple(exclude_tag or ()),
        include_paths=tuple(include_path or ()),
        exclude_paths=tuple(exclude_path or ()),
        include_methods=tuple(method.lower() for method in include_method or ()),
        exclude_methods=tuple(method.lower() for method in exclude_method or ()),
        include_operations=tuple(include_operation or ()),
        exclude_operations=tuple(exclude_operation or ()),
        deprecated=not no_deprecated,
    )


def config(
    documents: list[str] | None,
    overlays: list[str] | None,
    *,
    name: str | None = None,
    base_url: str | None = None,
    allow_origin: list[str] | None = None,
    profile: Profile = Profile.portable,
    draft: Draft | None = None,
    ref_root: str | None = None,
    max_bytes: int | None = None,
    selection: Selection | None = None,
) -> Config:
    """What the options say; what was not given has its default."""
    return Config(
        sources=tuple(documents or ()),
        overlays=tuple(overlays or ()),
        name=name,
        base_url=base_url,
        allow_origins=tuple(allow_origin or ()),
        draft=draft.value if draft else None,
        ref_root=ref_root,
        max_bytes=max_bytes,
        profile="rich" if profile is Profile.rich else "portable",
        selection=selection or Selection(),
    )
