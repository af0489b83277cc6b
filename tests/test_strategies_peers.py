"""Peers, where they are installed: each on one small page, with nothing of it lost that it does not say it loses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wrac.core.errors import ConfigError, InputError, MissingExtraError
from wrac.core.types import Page
from wrac.evaluation import run
from wrac.evaluation.strategies import BUILT_IN, Corpus, strategy
from wrac.evaluation.strategies.peers import BUDGET, PEERS, Peer, count
from wrac.evaluation.values import DataSet, Gold, Query

SENTENCES = " ".join(f"Sentence {number} tells of <em>fees</em> and of limits." for number in range(150))
HTML = f"""<html><head><title>Cards</title></head><body>
<h1>Cards</h1>
<p>A card <strong>costs</strong> nothing.</p>
<h2>Limits</h2>
<table>
<tr><th>Plan</th> <th>Euros</th></tr>
<tr><td>Small</td> <td>500</td></tr>
</table>
<pre>limit(5)
limit(9)</pre>
<h2>Fees</h2>
<p>{SENTENCES}</p>
</body></html>"""
WORDS = set("Cards card costs nothing Limits Plan Euros Small 500 limit Fees Sentence tells fees".split())
TITLES = {"langchain-semantic": {"Cards", "Limits", "Fees"}}
"""What a peer hands on as metadata alone."""
LOST = {"docling": {"Plan"}}
"""What a peer drops: it names each cell by its row and column, and nothing the first column."""

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs, not ours


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_cuts_a_page_or_says_what_to_install(name: str) -> None:
    page = Page("bank/Cards.html", HTML.encode())
    peer = Peer(Corpus(), name)
    try:
        items = peer.passages([page]).items
    except MissingExtraError as error:
        assert "wrac[peers]" in str(error)
        pytest.skip(str(error))
    except ConfigError as error:
        assert "needs a language model" in str(error) or "docling" in str(error)
        pytest.skip(str(error))
    said = {word for item in items for word in re.findall(r"\w+", item.text)}
    assert WORDS - TITLES.get(name, set()) - LOST.get(name, set()) <= said
    assert len(items) > 1
    assert all(item.page == page.url and item.text.strip() and not item.ranges for item in items)
    assert all(item.indexed.startswith("cards\n") and item.indexed.endswith(item.text) for item in items)
    assert all(count(item.text) <= BUDGET * 1.5 for item in items)
    assert items == peer.passages([page]).items
    assert set(TITLES.get(name, ())) <= {word for item in items for word in re.findall(r"\w+", item.indexed)}


@pytest.mark.parametrize("name", ["semchunk", "langchain-recursive"])
def test_a_page_that_is_no_html_is_refused(name: str) -> None:
    try:
        with pytest.raises(InputError, match="reads HTML, this is text/plain"):
            Peer(Corpus(), name).passages([Page("a.txt", b"text", "text/plain")])
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_peers_are_strategies_and_none_is_built_in() -> None:
    data = DataSet("none", Path(), (), ())
    assert [strategy(name, data, Corpus()).name for name in PEERS] == list(PEERS)
    assert not set(PEERS) & set(BUILT_IN)


def test_a_run_goes_on_without_a_peer_that_is_not_installed() -> None:
    page = Page("Cards.html", HTML.encode())
    query = Query("1", "What does a card cost?", (Gold("A card costs nothing.", frozenset([page.url])),))
    results = run(DataSet("one", Path(), (page,), (query,)), [*PEERS, "sections"], ["bm25"])
    done, failed = {row["strategy"] for row in results["rows"]}, {one["strategy"]: one for one in results["failed"]}
    assert "sections" in done
    assert done | set(failed) == {*PEERS, "sections"}
    assert all(one["exit"] == ConfigError.exit_code and one["reason"] for one in failed.values())
