"""What searches read last: never of another generation, never too much, never what a search may not see."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes_index import WordEmbedder
from tests.site import build, page

from wrac.flow import Workspace
from wrac.indexing import Row, recent
from wrac.indexing.recent import Recent


def row(number: int) -> tuple[Row, ...]:
    return (Row(f"e1:{number}", f"c1:{number}", "page", number, "text"),)


def test_a_generation_sees_its_own_rows_alone() -> None:
    kept = Recent()
    kept.of(3).keep({"a": row(1)})
    assert kept.of(3).rows == {"a": row(1)}
    assert kept.of(2).rows == {}
    kept.of(2).keep({"a": row(2)})  # an older snapshot keeps nothing
    assert kept.of(3).rows == {"a": row(1)}
    assert kept.of(4).rows == kept.of(3).rows == {}


def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "MOST", 5)
    seen = Recent().of(1)
    for number in range(20):
        seen.keep({f"{number}": row(number)})
        assert f"{number}" in seen.rows
        assert len(seen.rows) <= 5


def test_a_search_after_a_change_finds_what_is_there_by_then(tmp_path: Path) -> None:
    site = build(tmp_path, 3)
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as workspace:
        workspace.index(site, workers=0)
        assert "every day" in workspace.search("how are refunds handled")[0].text
        file = next(site.glob("*refunds*"))
        file.write_text(page("refunds", 0).replace("every day", "at night"), encoding="utf-8")
        workspace.index(site, workers=0)
        texts = [hit.text for hit in workspace.search("how are refunds handled")]
        assert any("at night" in text for text in texts)
        assert not any("refunds of kind 0 are handled by our support team every day" in text for text in texts)
        file.unlink()
        workspace.index(site, workers=0)
        assert all(file.name not in hit.url for hit in workspace.search("how are refunds handled"))


def test_filters_hold_of_what_was_read_without_them(tmp_path: Path) -> None:
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as workspace:
        for tenant in ("a", "b"):
            site = build(tmp_path, 2, name=tenant)
            workspace.index(site, workers=0, meta={"tenant": tenant}, base=f"https://{tenant}.example.com/")
        assert {hit.meta["tenant"] for hit in workspace.search("how are refunds handled", k=50)} <= {"a", "b"}
        for tenant in ("a", "b", "a"):
            hits = workspace.search("how are refunds handled", k=50, where={"tenant": tenant})
            assert hits
            assert {hit.meta["tenant"] for hit in hits} == {tenant}
            assert all(other == hit.url for hit in hits for other in hit.pages)
