"""A site of pages whose chunks serve searches badly: a table, a list and a section in pieces, many questions in one."""

from __future__ import annotations

from pathlib import Path

FILLER = " ".join(f"Sentence {i} explains how the service is set up by people who read it." for i in range(12))
ROWS = "".join(
    f"<tr><td>plan{i}<td>{i} dollars a month for every seat that is used<td>limit{i} and support by mail"
    for i in range(24)
)
ITEMS = "".join(f"<li>Step{i}: open the panel called panel{i} and press the button that says go{i}." for i in range(26))
FAQ = "".join(
    f"<details><summary>What is {word}?</summary><p>The {word} is a thing of kind {word}.</p></details>"
    for word in ("alpha", "bravo", "charlie", "delta", "echo")
)
PAGES = {
    "prices": f"<h1>Prices</h1><p>{FILLER}</p><h2>Plans</h2><table><tr><th>Plan<th>Fee<th>Limit{ROWS}</table>",
    "steps": f"<h1>Steps</h1><p>{FILLER}</p><h2>Way</h2><ol>{ITEMS}</ol>",
    "faq": f"<h1>Questions</h1>{FAQ}",
    "plain": f"<h1>Plain</h1><p>{FILLER}</p><p>{FILLER}</p>",
}


def build(folder: Path) -> Path:
    """The pages as files of a folder that is new."""
    folder.mkdir(parents=True)
    for name, body in PAGES.items():
        html = f"<!doctype html><html lang=en><title>{name.title()}</title><main>{body}</main></html>"
        (folder / f"{name}.html").write_text(html, "utf-8")
    return folder
