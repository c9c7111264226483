"""Puts a report on the pull request or merge request of a CI run: python -m
attribution.browse.post_comment FILE

There is one comment, edited on later runs: the one that begins with our mark and that the same
account wrote. Other comments, of people or other programs, are never edited. The run's own
variables say where it goes; the token is in GH_TOKEN (GitHub, with NUMBER for the pull request) or
WHOWROTE_TOKEN (GitLab), and is sent to that server alone.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import requests

from attribution.browse.comment import MARK
from collector.json_values import Row, Texts

_SECONDS = 30
_PAGE = 100


class Forge(NamedTuple):
    """Where comments of one pull or merge request are."""

    comments: str  # address of its comments
    edited: str  # address of one comment, to be followed by its number
    account: str  # address that says who we are
    edit: str  # the method that edits
    headers: Texts


def forge_of(env: Mapping[str, str]) -> Forge:
    """Raises KeyError when a variable of the run is missing."""
    if "CI_API_V4_URL" in env:
        project = f"{env['CI_API_V4_URL']}/projects/{env['CI_PROJECT_ID']}"
        notes = f"{project}/merge_requests/{env['CI_MERGE_REQUEST_IID']}/notes"
        return Forge(
            notes,
            notes,
            f"{env['CI_API_V4_URL']}/user",
            "PUT",
            {"PRIVATE-TOKEN": env["WHOWROTE_TOKEN"]},
        )
    issues = f"{env['GITHUB_API_URL']}/repos/{env['GITHUB_REPOSITORY']}/issues"
    headers = {
        "Authorization": f"Bearer {env['GH_TOKEN']}",
        "Accept": "application/vnd.github+json",
    }
    return Forge(
        f"{issues}/{env['NUMBER']}/comments",
        f"{issues}/comments",
        env["GITHUB_GRAPHQL_URL"],
        "PATCH",
        headers,
    )


def post(forge: Forge, text: str) -> None:
    """Edits our comment, or writes the first. Raises requests.RequestException."""
    with requests.Session() as session:
        session.headers.update(forge.headers)
        account = _account(session, forge)
        own = next(
            (
                c
                for c in _comments(session, forge)
                if _author(c) == account and c["body"].startswith(MARK)
            ),
            None,
        )
        method, address = (
            (forge.edit, f"{forge.edited}/{own['id']}") if own else ("POST", forge.comments)
        )
        session.request(method, address, json={"body": text}, timeout=_SECONDS).raise_for_status()


def _account(session: requests.Session, forge: Forge) -> str:
    """The name of the account that the token belongs to; GitHub says it of an installation in
    GraphQL only.
    """
    if forge.edit == "PUT":
        answer = session.get(forge.account, timeout=_SECONDS)
        answer.raise_for_status()
        return str(answer.json()["username"])
    answer = session.post(forge.account, json={"query": "{ viewer { login } }"}, timeout=_SECONDS)
    answer.raise_for_status()
    return str(answer.json()["data"]["viewer"]["login"])


def _author(comment: Row) -> str:
    return str(
        (comment.get("user") or {}).get("login") or (comment.get("author") or {}).get("username")
    )


def _comments(session: requests.Session, forge: Forge) -> Iterator[Row]:
    page = 1
    while True:
        answer = session.get(
            forge.comments, params={"per_page": _PAGE, "page": page}, timeout=_SECONDS
        )
        answer.raise_for_status()
        yield from answer.json()
        if len(answer.json()) < _PAGE:
            return
        page += 1


def main() -> None:
    try:
        post(forge_of(os.environ), Path(sys.argv[1]).read_text("utf-8"))
    except KeyError as error:
        sys.exit(f"no comment: {error.args[0]} is not set")
    # its text has addresses, and what a server says of the request
    except requests.RequestException as error:
        status = f", status {error.response.status_code}" if error.response is not None else ""
        sys.exit(f"no comment: {type(error).__name__}{status}")


if __name__ == "__main__":
    main()
