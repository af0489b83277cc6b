"""Indexes a small site and asks it four questions: `python scripts/demo.py [folder or URL]`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from wrac import InputError, Policy, Workspace, WracError, parse
from wrac.cli import hits, paint
from wrac.cli.progress import bars
from wrac.core.types import Page
from wrac.fetching import pages

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "examples/site"
PLACE = Path(".wrac-demo")
QUESTIONS = (
    "How do I change the size of a chunk?",
    "What did the agentic rewrite cost for 236 pages?",
    "Is text found that a closed accordion hides?",
    "Wird mein Text verändert?",
)
_LOOKED_AT = 200


def questions_of(source: str) -> Sequence[str]:
    """Four things to ask a site nobody wrote questions for: its own questions, else its section headings."""
    asked: dict[str, None] = {}
    headings: dict[str, None] = {}
    for number, page in enumerate(pages([source])):
        if number == _LOOKED_AT or len(asked) >= 4 * len(QUESTIONS):
            break
        if not isinstance(page, Page):
            continue
        document = parse(page.body, url=page.url, media_type=page.media_type, charset=page.charset)
        for place in document.places:
            unit = document.units[place.unit]
            if place.role == "main" and unit.kind in ("question", "heading") and len(unit.text.split()) > 2:
                (asked if unit.kind == "question" else headings)[paint.one_line(unit.text)] = None
    found = [*asked, *headings]
    step = max(1, len(found) // len(QUESTIONS))
    return found[::step][: len(QUESTIONS)]


def main(source: str) -> int:
    """0 when the site was indexed and asked."""
    out = paint.console()
    if PLACE.exists():
        shutil.rmtree(PLACE)
    paint.put(out, ("wrac demo", "bold"), (f"  {source}", "dim"))
    with Workspace(PLACE) as workspace, bars(wanted=True) as tell:
        report = workspace.index([source], policy=Policy(), progress=tell)
        counted = (("page", report.pages), ("unit", report.units), ("chunk", report.chunks))
        counts = ", ".join(paint.plural(count, name) for name, count in counted)
        paint.put(out, f"{counts}, indexed in {report.seconds.get('total', 0.0):.1f} s")
        if not report.pages:
            raise InputError(source, "no page was found", "give a folder of HTML pages, or a URL")
        for question in QUESTIONS if source == EXAMPLE else questions_of(source):
            paint.put(out)
            paint.put(out, ("? ", "bold cyan"), (question, "bold"))
            hits.results(workspace.search(question, k=1))
    bin_folder = Path(sys.executable).parent
    command = bin_folder.relative_to(ROOT) / "wrac" if bin_folder.is_relative_to(ROOT) else "wrac"
    paint.put(out)
    paint.put(out, ("Ask it something else:  ", "dim"), f'{command} search "…" --workspace {PLACE}')
    paint.put(out, ("Look at it:             ", "dim"), f"{command} serve --workspace {PLACE}   (with .[serve])")
    paint.put(out, ("Index your own pages:   ", "dim"), f"{command} index ./your-folder")
    paint.put(out, ("or a page on the web:   ", "dim"), f"{command} index https://docs.example.com/start.html")
    paint.put(out, ("The demo on your pages: ", "dim"), "make demo SITE=folder-or-url")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else EXAMPLE))
    except WracError as error:
        sys.stderr.write(f"wrac: {error}\n")
        sys.exit(error.exit_code)
