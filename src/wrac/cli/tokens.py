"""token: who may ask a workspace over HTTP."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from wrac import contract
from wrac.api import tokens
from wrac.api.tokens import Right, Token
from wrac.cli import paint
from wrac.flow import Workspace


def create(path: str, right: Right, name: str, days: float, *, as_json: bool) -> None:
    """Make a token and print it, for the only time."""
    with Workspace(path, create=False) as workspace:
        text, token = tokens.create(workspace.database, right, name, days)
    if as_json:
        print(contract.dumps({**_row(token), "token": text}))
        return
    print(text)
    told = f"{token.id}, {token.right}{_until(token)}: shown this once; send it as `Authorization: Bearer {text[:9]}…`"
    paint.put(paint.console(stderr=True), (told, "dim"))


def listed(path: str, *, as_json: bool) -> None:
    """Print what is known of the tokens."""
    with Workspace(path, create=False) as workspace:
        found, place = tokens.known(workspace.database), workspace.place
    if as_json:
        print(contract.dumps({"tokens": [_row(token) for token in found]}))
        return
    out = paint.console()
    if not found:
        paint.put(out, f"{place} has no token; `wrac token create` makes one")
    for token in found:
        made = f"  since {_day(token.made)}{_until(token)}"
        paint.put(
            out, (token.id, "cyan"), f"  {token.right:<5}", (made, "dim"), f"  {token.name}" if token.name else ""
        )


def revoke(path: str, identity: str, *, as_json: bool) -> None:
    """Take a token back."""
    with Workspace(path, create=False) as workspace:
        token = tokens.revoke(workspace.database, identity)
    print(contract.dumps(_row(token)) if as_json else f"{token.id} opens nothing any more")


def _row(token: Token) -> contract.Json:
    """The public shape of a token; moments are seconds since 1970, `expires` null for never."""
    return {
        "id": token.id,
        "scope": token.right,
        "name": token.name,
        "created": token.made,
        "expires": token.ends or None,
        "expired": not token.alive(time.time()),
    }


def _until(token: Token) -> str:
    if not token.ends:
        return ""
    return f", until {_day(token.ends)}" if token.alive(time.time()) else f", expired {_day(token.ends)}"


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()
