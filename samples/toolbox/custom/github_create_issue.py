"""The tool `github_create_issue`. `TOOLBOX_GITHUB_TOKEN` is the token, `TOOLBOX_REPOSITORY` the
usual repository.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import ToolError
from .asking import ask, setting

if TYPE_CHECKING:
    from .. import models


async def github_create_issue(
    *,
    title: str,
    body: str | None = None,
    labels: list[str] | None = None,
    repository: str | None = None,
) -> models.GithubCreateIssueAnswer:
    """Create an issue in a repository."""
    base = setting("TOOLBOX_GITHUB_URL", "GitHub", "https://api.github.com").rstrip("/")
    token = setting("TOOLBOX_GITHUB_TOKEN", "GitHub")
    owner, _, name = (
        repository or setting("TOOLBOX_REPOSITORY", "a repository of its own")
    ).partition("/")
    if not owner or name in ("", ".", ".."):
        raise ToolError("the repository has to be `owner/name`")
    issue: dict[str, Any] = {"title": title, "body": body, "labels": labels}
    made = await ask(
        "POST",
        f"{base}/repos/{owner}/{name}/issues",
        json={key: value for key, value in issue.items() if value is not None},
        headers={"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
    )
    if not isinstance(made, dict) or not isinstance(made.get("number"), int):
        raise ToolError("GitHub did not say which issue it made")
    return {"number": made["number"], "url": str(made.get("html_url", ""))}
