"""Small evaluations for tests of reports: a site on disk, judged for real, with texts as strangers write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fakes import FakeEmbedder

from wrac.core.types import Usage
from wrac.evaluation import differences, run
from wrac.evaluation.cost import costs
from wrac.evaluation.datasets import rmc
from wrac.evaluation.strategies import Corpus
from wrac.evaluation.strategies.baselines import Sections
from wrac.evaluation.values import Passages
from wrac.evaluation.vectors import VectorCache

HOSTILE = (
    "<script>document.title = 'owned'</script>",
    "</style></title><img src=https://evil.example/a.png onerror=\"document.title='owned'\">",
    '" onmouseover="document.title=\'owned\'" x="',
    "<svg onload=\"document.title='owned'\"><a href=\"javascript:document.title='owned'\">link</a></svg>",
    "refund \u202eeurht\u202c \u2066isolated\u2069 \x1b[31mred\x07 \ud800 \x00",
    "ערבית עברית mixed with English, and 中文 too",
)
"""What must be shown and must do nothing."""

_BODY = "<h1>{name}</h1><p>{name} are paid daily, without a fee.</p><h2>Limits</h2><p>At most {sum} euros a day.</p>"


class Paid:
    """A strategy that a model was paid for, and that reports what it did."""

    name = "paid"

    def passages(self, pages: Any) -> Passages:
        items = Sections(Corpus()).passages(pages).items
        return Passages((*items, items[0]), {"units dropped": 3}, Usage(1_200, 0, 300, calls=len(pages), seconds=4.0))


def site(folder: Path) -> Path:
    """A data set in RAG-Multi-Corpus form: 24 pages with a question each, some of them hostile."""
    pages = folder / "bank" / "html"
    pages.mkdir(parents=True)
    rows = []
    for i in range(24):
        name, hostile = f"Refund {i}", HOSTILE[i % len(HOSTILE)].encode("utf-8", "replace").decode()
        body = _BODY.format(name=name, sum=100 + i) + f"<p>{hostile.replace('<', '&lt;')}</p>"
        (pages / f"{name}.html").write_text(body, "utf-8")
        gold = [{"page": f"bank/html/{name}.html", "text": f"At most {100 + i} euros a day."}]
        kind = "Fact" if i % 2 else "Limit"
        query = f"What is the limit of refund {i}? {hostile}"
        rows.append({"id": f"q{i}", "company": "bank", "type": kind, "query": query, "gold": gold})
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def results(folder: Path) -> dict[str, Any]:
    """Results as `wrac eval --out` writes them, over `site` under two searches."""
    data = rmc(site(folder / "data"))
    vectors = VectorCache(FakeEmbedder(), folder / "cache")
    found = run(data, ["wrac", "sections", "page", Paid()], ["bm25", "default"], vectors=lambda: vectors)
    found["differences"] = differences(found, "sections")
    found["costs"] = costs(found, ["openai:gpt-4.1"])
    found["settings"] = {"embedder": "minilm", "baseline": "sections"}
    found["command"] = f"wrac eval data --strategies '{HOSTILE[0]}'"
    found["seconds"] = 1.5
    read: dict[str, Any] = json.loads(json.dumps(found))
    return read


def hostile(found: dict[str, Any]) -> dict[str, Any]:
    """The same with hostile text everywhere a file from a stranger could hold it."""
    spoilt: dict[str, Any] = json.loads(json.dumps(found).replace('"paid"', json.dumps(HOSTILE[1])))
    spoilt["data"]["name"] = HOSTILE[1]
    spoilt["data"]["excluded"] = [{"query": HOSTILE[2], "text": one, "reason": HOSTILE[0]} for one in HOSTILE]
    spoilt["failed"] = [{"strategy": HOSTILE[3], "reason": HOSTILE[1], "exit": 3}]
    spoilt["machine"]["processor"] = HOSTILE[2]
    spoilt["settings"]["embedder"] = HOSTILE[4]
    for row in spoilt["rows"]:
        row["notes"] = dict.fromkeys(HOSTILE, 1.0)
        row["by"]["type"] = dict(zip(HOSTILE, row["by"]["type"].values(), strict=False))
    return spoilt
