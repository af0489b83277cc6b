"""What docs/using.md says of a chunk's line is what `wrac chunk --json` prints."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.commands import command

USING = Path(__file__).parents[1] / "docs" / "using.md"


def test_every_field_of_a_chunk_is_in_the_table_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<title>Fees</title><h1>Fees</h1><p>A transfer costs 5 USD.</p>")
    _, out, _ = command("chunk", "page.html", "--json", cwd=tmp_path)
    line = json.loads(out.splitlines()[0])
    section = USING.read_text().partition("## How do I use the chunks in my own store?")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE))
    assert sorted(rows) == sorted(line)
    assert sorted(set(re.findall(r"`(\w+)`", rows["occurrences"]))) == sorted(line["occurrences"][0])
