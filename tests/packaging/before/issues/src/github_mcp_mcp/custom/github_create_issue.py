"""Our issues."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .. import models


async def github_create_issue(
    *,
    body: str | None = None,
    labels: list[str] | None = None,
    repository: str | None = None,
    title: str,
) -> models.GithubCreateIssueAnswer:
    """Create an issue in a repository."""
    return {"number": 1, "url": f"https://issues.example/{repository}/1"}
