"""Pages that a site shows, with every sign of success, for addresses where there is nothing.

Nothing more is asked of a site unless a page looks like one: by its title, or since it says what another one says. Then
one address is asked for that cannot be there, and what says the same as its answer is no page; unless the start says so
too: an application that scripts make answers everywhere alike.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final
from urllib.parse import urljoin

from wrac.fetching import media
from wrac.fetching.site.client import Client
from wrac.fetching.site.links import Links, links
from wrac.fetching.skip import Skip

WHY: Final = "what the site shows where there is no page"


@dataclass(slots=True)
class Absent:
    """What the site of a `start` shows where there is nothing; `said` is the first page of each text."""

    client: Client
    start: str
    said: dict[str, str] = field(default_factory=dict)
    _sign: asyncio.Task[str] | None = None

    async def lost(self, url: str, said: Links) -> list[Skip]:
        """A skip in place of a page that is none, and of the first one that said the same; none for a page."""
        if not said.sign:
            return []
        first = self.said.setdefault(said.sign, url)
        if first == url and not said.lost:
            return []
        if self._sign is None:
            self._sign = asyncio.ensure_future(self._probe(url))
        if said.sign != await asyncio.shield(self._sign):
            return []
        return [Skip(one, WHY, "missing") for one in dict.fromkeys((first, url))]

    async def _probe(self, url: str) -> str:
        """What is said at an address beside another one where nothing can be; "" for no page, or for the start."""
        nowhere = urljoin(url, f"wrac-{blake2b(url.encode(), digest_size=6).hexdigest()}")
        said = await self._said(nowhere)
        return "" if said and said == await self._said(self.start) else said

    async def _said(self, url: str) -> str:
        answer = await self.client.get(url)
        media_type, charset = media.by_header(answer.headers.get("content-type", ""), answer.final)
        if answer.problem or answer.status != 200 or media_type != media.HTML:
            return ""
        return links(answer.body, answer.final, charset).sign
