"""A snapshot is built from an allow-list and marks every unit once, whatever the page was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

import turbohtml
from hypothesis import given
from hypothesis import strategies as st
from tests import hostile
from tests.data import FOLDER, existing

from wrac.board.snapshot import snapshot
from wrac.board.writing import Sign
from wrac.core.types import Document, Page
from wrac.parsing import parse

TAGS = frozenset(
    "abbr address article aside b bdi bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption "
    "figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li main mark nav ol p pre q rp rt ruby s samp section "
    "small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr".split()
)
VALUES = {
    "id": r"u\d+",
    "class": r"(w[unxi]|w-[\w]+|wrest|wpart|k\d|out| )+",
    "lang": r"[A-Za-z0-9-]+",
    "dir": r"ltr|rtl|auto",
    "open": "",
    "colspan": r"-?\d+",
    "rowspan": r"-?\d+",
    "start": r"-?\d+",
    "value": r"-?\d+",
}
FRAGMENTS = (
    *hostile.PIECES,
    *"<p> </p> <b> </b> <ul> <li> </ul> <table> <tr> <td> </table> <pre> </pre> <a> </a> <h2> </h2> <svg> </svg>".split(
        " "
    ),
    *"<math> <style> </style> <template> </template> <select> <form> </form> <details> <summary> <br> &lt; &amp;".split(
        " "
    ),
    "some words",
    "<li value=3>",
    "<td colspan=99999 rowspan=2 onclick=x>",
    "<p lang='x\" onclick=y' dir=rtl>",
    "<ruby>base<rt>read</rt></ruby>",
)


def shown(page: Page, document: Document) -> str:
    signs = [Sign(place.ordinal, f"/page?unit={place.ordinal}", "", "k1", "a unit") for place in document.places]
    return snapshot(page, document, signs)


def of(html: str, **others: str) -> tuple[Document, str]:
    page = Page("https://example.com/x", html.encode("utf-8", "replace"), **others)  # type: ignore[arg-type]
    document = parse(page)
    return document, shown(page, document)


def refuse(html: str) -> None:
    """Nothing for markup of the allow-list alone, as a browser would read it."""
    for node in turbohtml.parse(f"<!doctype html><body>{html}").select("body *"):
        attributes = {
            name: " ".join(value) if isinstance(value, list) else value or "" for name, value in node.attrs.items()
        }
        if node.tag == "a":
            assert re.fullmatch(r"wn k\d", attributes["class"]) and attributes["target"] == "_top"
            assert re.fullmatch(r"/page\?unit=\d+", attributes["href"])
            assert set(attributes) == {"class", "href", "target", "title", "aria-label"}
            continue
        assert node.tag in TAGS, node.tag
        assert str(node.namespace).endswith("HTML")
        for name, value in attributes.items():
            assert re.fullmatch(VALUES[name], value), (node.tag, name, value)


def marked(html: str) -> list[int]:
    return sorted(int(found) for found in re.findall(r' id="u(\d+)"', html))


@given(st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=12).map("".join))
def test_nothing_but_the_allow_list_is_written_and_every_unit_is_marked_once(html: str) -> None:
    document, found = of(html)
    refuse(found)
    assert marked(found) == list(range(len(document.places)))
    assert found.count('<a class="wn ') == len(document.places)


@pytest.mark.parametrize("piece", hostile.PIECES)
def test_each_hostile_piece_leaves_its_words_alone(piece: str) -> None:
    document, found = of(hostile.page((piece, "<p>after</p>")))
    refuse(found)
    assert marked(found) == list(range(len(document.places)))


def test_text_stays_text() -> None:
    _, found = of("<p>a &lt;script&gt; &amp;amp; \"quoted\" 'once'</p><pre>  two\n  lines</pre>")
    assert "a &lt;script&gt; &amp;amp; &quot;quoted&quot; &#x27;once&#x27;" in found
    assert "  two\n  lines</pre>" in found


def test_a_unit_is_marked_where_it_stands() -> None:
    _, found = of("<h1>Title</h1>loose words<ul><li>one<ul><li>two</ul>tail</ul><table><tr><td>a<td>b</table>")
    bare = re.sub(r"<a class=.*?>(\d+)</a>", r"[\1]", found)
    assert '<h1 id="u0" class="wu k1">[0]Title</h1>' in bare
    assert '<span id="u1" class="wu k1">[1]loose words</span>' in bare
    assert '<span id="u2" class="wu k1">[2]one</span><ul><li id="u3" class="wu k1">[3]two</li></ul>' in bare
    assert '<span id="u4" class="wu k1">[4]tail</span>' in bare
    assert '<tr id="u5" class="wu k1"><td>[5]a</td><td>b</td></tr>' in bare


def test_what_stands_nowhere_on_the_page_follows_it() -> None:
    document, found = of("<p>here</p><iframe srcdoc='<p>inside'></iframe>")
    assert [document.text(place.ordinal) for place in document.places] == ["here", "inside"]
    assert found.index('id="u0"') < found.index("Also read from this page") < found.index('id="u1"')


@pytest.mark.parametrize(
    ("text", "media"),
    [("# A\n\n- one\n- two\n\n| a | b |\n|--|--|\n| 1 | 2 |\n", "text/markdown"), ("a,b\n1,2\n", "text/csv")],
)
def test_other_formats_are_written_from_their_units(text: str, media: str) -> None:
    document, found = of(text, media_type=media)
    refuse(found)
    assert marked(found) == list(range(len(document.places)))


def test_real_pages_are_marked_where_they_stand() -> None:
    folder = existing(FOLDER / "rmc")
    files = sorted(Path(folder).rglob("*.html"))[:40]
    assert files
    for file in files:
        page = Page(file.name, file.read_bytes())
        document = parse(page)
        found = shown(page, document)
        refuse(found)
        assert marked(found) == list(range(len(document.places)))
        assert "Also read from this page" not in found
        for node in turbohtml.parse(found).select("[id]"):
            said = "".join(node.text.split()).removeprefix(str(node.attr("id"))[1:])
            assert said in "".join(document.text(int(str(node.attr("id"))[1:])).split())
