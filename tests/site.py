"""A small site on disk for tests of whole flows: pages of plain words, so that any real parser reads them alike."""

from __future__ import annotations

from pathlib import Path

TOPICS = ("refunds", "shipping", "returns", "invoices", "accounts", "passwords")
SHARED = "<footer><p>All prices include tax.</p></footer>"


def page(topic: str, number: int, extra: str = "") -> str:
    """A page about a topic, with two sections, a table, a list and a footer that every page has."""
    return f"""<!doctype html><html lang=en><head><title>{topic.title()} {number}</title></head><body>
<nav><a href=index.html>Home</a></nav><main><h1>{topic.title()}, part {number}</h1>
<p>This is how {topic} of kind {number} are handled by our support team every day.</p>
<h2 id=steps>Steps for {topic}</h2>
<ol><li>Open the {topic} form number {number}.<li>Send it within {number + 3} days.</ol>
<h2 id=costs>Costs of {topic}</h2>
<table><tr><th>Plan<th>Fee<tr><td>Small<td>{number} USD<tr><td>Large<td>{number * 2} USD</table>
{extra}</main>{SHARED}</body></html>"""


def build(folder: Path, count: int = 6, *, name: str = "site") -> Path:
    """A folder of `count` pages."""
    site = folder / name
    site.mkdir()
    for number in range(count):
        topic = TOPICS[number % len(TOPICS)]
        (site / f"{number:03}-{topic}.html").write_text(page(topic, number), encoding="utf-8")
    return site
