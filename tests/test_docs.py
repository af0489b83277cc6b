"""What the docs say is run: examples in docstrings, README and docs, and the links of the example site."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import urldefrag, urlsplit

import pytest

import wrac
from wrac.core import errors, types

ROOT = Path(__file__).parent.parent
SITE = ROOT / "examples" / "site"
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(wrac.__path__, "wrac.") if not module.name.endswith("__main__")
)


def imported(name: str) -> ModuleType:
    """The module; skips where the package of an extra is missing, but not in CI."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if os.environ.get("CI") or (error.name or "").startswith("wrac"):
            raise
        pytest.skip(f"{name} needs {error.name}, of an extra")


@pytest.mark.parametrize("name", ["wrac", *MODULES])
def test_docstring_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    module = imported(name)
    result = doctest.testmod(module, extraglobs={"tmp": tmp_path})
    assert not result.failed


@pytest.mark.parametrize(
    "path", ["README.md", "docs/answering.md", "docs/concepts.md", "docs/planning.md", "docs/using.md", "docs/why.md"]
)
def test_examples_in_documents(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / path), module_relative=False, globs={"tmp": tmp_path})
    assert not result.failed


def test_all_names_the_public_api_and_nothing_else() -> None:
    assert wrac.__all__ == sorted(wrac.__all__)
    offered = {name: getattr(wrac, name) for name in wrac.__all__}
    for module in (types, errors):
        own = {
            n
            for n, v in vars(module).items()
            if isinstance(v, type) and v.__module__ == module.__name__ and n[0] != "_"
        }
        assert own <= set(offered)
    visible = {n for n, v in vars(wrac).items() if not n.startswith("_") and not isinstance(v, ModuleType)}
    assert visible - {"annotations", "TYPE_CHECKING"} == set(offered)
    assert set(dir(wrac)) == set(offered) | {"__version__"}


def test_import_is_cheap() -> None:
    code = "import sys; before = set(sys.modules); import wrac; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"wrac", "__future__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chunks'"):
        _ = wrac.chunks


# The example site


class _Links(HTMLParser):
    """Ids and hrefs of a page, and what aria-controls and aria-labelledby point at."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.hrefs: list[str] = []
        self.refers: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids += [values["id"]] if "id" in values else []
        self.hrefs += [values[name] for name in ("href", "src") if name in values]
        self.refers += [values[name] for name in ("aria-controls", "aria-labelledby") if name in values]


def _links(path: Path) -> _Links:
    parser = _Links()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


PAGES = sorted(SITE.rglob("*.html"))


def test_the_example_site_is_a_dozen_pages_and_two_languages_more() -> None:
    assert len(PAGES) >= 14
    assert {re.findall(r'<html lang="(\w+)"', page.read_text(encoding="utf-8"))[0] for page in PAGES} == {
        "en",
        "de",
        "zh",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_of_the_example_site_lead_somewhere(page: Path) -> None:
    links = _links(page)
    assert len(links.ids) == len(set(links.ids))
    assert set(links.refers) <= set(links.ids)
    for href in links.hrefs:
        target, fragment = urldefrag(href)
        assert not urlsplit(target).scheme, "the site stands alone"
        other = (page.parent / target) if target else page
        assert other.is_file(), href
        assert not fragment or fragment in _links(other).ids, href


def test_exit_codes_on_the_site_are_those_of_the_program() -> None:
    text = (SITE / "errors.html").read_text(encoding="utf-8")
    listed = dict(re.findall(r'<td class="n">(\d+)</td><td><code>(\w+)</code>', text))
    assert {int(code): name for code, name in listed.items()}.items() <= {
        getattr(errors, name).exit_code: name for name in listed.values()
    }.items()


@pytest.mark.parametrize(
    "document", [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"], ids=lambda path: path.name
)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text(encoding="utf-8")):
        assert urlsplit(target).scheme in ("http", "https") or (document.parent / target).exists(), target
