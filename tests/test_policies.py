"""Policies by site and page type: which wins, what a file may say, what a wrong one is told, what type a page is."""

from __future__ import annotations

import re
from dataclasses import asdict, fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import debian
from tests.commands import command
from tests.data import FOLDER, existing

from wrac.core.errors import ConfigError
from wrac.core.types import Document, Page, Policy
from wrac.parsing import parse
from wrac.planning.page_types import PAGE_TYPES, page_type
from wrac.planning.policies import Policies, Rule, read, read_text

FAQ = "<h1>Fees</h1>" + "".join(
    f"<h2>{question}?</h2><p>{answer} and more about it, in a line or two.</p>"
    for question, answer in (("What is due", "Nothing"), ("When", "Never"), ("Why", "It is free"))
)
PROSE = "<h1>A day</h1>" + "<p>It rained. We stayed in and talked about the sea.</p>" * 6
LONG = "<h1>Fees</h1>" + "".join(
    f"<p>A transfer of kind {i} costs {i} euros and takes {i} days.</p>" for i in range(40)
)


def document(html: str) -> Document:
    return parse(Page("a.html", html.encode()))


def written(folder: Path, text: str) -> Path:
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


EXAMPLE = """
[policy]
target = 200

[[policy.site]]
match = "https://docs.example.com/*"
target = 120
maximum = 400

[[policy.site]]
match = "https://docs.example.com/api/*"
whole_tables = true
target = 300

[[policy.page]]
type = "faq"
one_question = true
target = 80
"""


def test_a_file_says_policies_for_sites_and_types(tmp_path: Path) -> None:
    policies = read(written(tmp_path, EXAMPLE))
    faq, prose = document(FAQ), document(PROSE)
    assert policies.of("https://other.example.com/a", prose) == Policy(target=200)
    assert policies.of("https://docs.example.com/a", prose) == Policy(target=120, maximum=400)
    later = policies.of("https://docs.example.com/api/a", prose)
    assert later == Policy(target=300, maximum=400, whole_tables=True), "of two rules the later one wins"
    both = policies.of("https://docs.example.com/api/a", faq)
    assert both == Policy(80, 400, whole_tables=True, one_question=True), "the page's type wins over its site"


def test_the_example_of_the_docs_is_read(tmp_path: Path) -> None:
    text = (debian.ROOT / "docs/planning.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    policies = read(written(tmp_path, example))
    assert (len(policies.sites), len(policies.types)) == (1, 1)
    named = text.split("| field |")[1].split("\n\n")[0]
    said = {name for line in named.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1] if line else "")}
    assert said == {field.name for field in fields(Policy)}
    told = text.split("| type |")[1].split("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE)) == PAGE_TYPES


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    assert read(written(tmp_path, "")) == read(written(tmp_path, "\ufeff[policy]\n")) == Policies()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[policy]\ntaget = 3", 'policy: nothing is called "taget"; known are target, maximum, tokenizer, '),
        ("[polices]\n", 'the file: nothing is called "polices"; known are policy'),
        ("[policy]\ntarget = true", "policy: target = true is not a whole number from 0"),
        ("[policy]\ntarget = 2.5", "policy: target = 2.5 is not a whole number from 0"),
        ("[policy]\ntarget = -1", "policy: target = -1 is not a whole number from 0"),
        ("[policy]\nwhole_tables = 1", "policy: whole_tables = 1 is not true or false"),
        ('[policy]\ntokenizer = "gpt2"', 'policy: tokenizer = "gpt2" is not one of o200k, cl100k, voyage3, words'),
        ("[policy]\ntarget = 600", "target 600, maximum 512: a policy needs 1 <= target <= maximum"),
        ("[policy]\ntarget = 0", "target 0, maximum 512: a policy needs 1 <= target <= maximum"),
        ("[policy]\nprose = 0", "prose 0: a policy needs prose >= 1"),
        (
            "[[policy.page]]\ntype = 'faq'\ntarget = 400\n[[policy.page]]\ntype = 'faq'\nmaximum = 300",
            'target 400, maximum 300 for "faq": a policy needs 1 <= target <= maximum',
        ),
        ("[policy.site]\nmatch = 'a'", "policy.site is one table; write [[policy.site]], in two brackets"),
        ("[[policy.site]]\ntarget = 3", "policy.site 1 needs a match, a text that says for which pages it holds"),
        (
            "[[policy.site]]\nmatch = 'a*'\ntarget = 9\n[[policy.site]]\nmatch = 'b'\nmax = 9",
            'policy.site 2: nothing is called "max"; known are target, maximum',
        ),
        (
            "[[policy.page]]\ntype = 'blog'",
            f'policy.page 1: no page type is called "blog"; known are {", ".join(PAGE_TYPES)}',
        ),
        (
            "[[policy.site]]\nmatch = 'a*'\nmaximum = 100\ntarget = 90\n[[policy.page]]\ntype = 'faq'\ntarget = 200",
            'target 200, maximum 100 for "a*" and "faq": a policy needs 1 <= target <= maximum',
        ),
        ("[policy]\npage = 3", "policy.page is one table; write [[policy.page]], in two brackets"),
        ("policy = 3", "policy is no table; write [policy] and its keys below"),
        ("[policy", "no TOML: "),
    ],
)
def test_a_wrong_file_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: {told}")
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.toml: no such file or directory; give a policy file"):
        read(tmp_path / "none.toml")


RULES = st.builds(
    Rule,
    st.sampled_from(["*", "https://a.example/*", "https://a.example/x?y=[1]", "*.html", "faq"]),
    st.fixed_dictionaries(
        {"maximum": st.integers(600, 700)}, optional={"target": st.integers(1, 600), "whole_tables": st.booleans()}
    ).map(lambda changes: tuple(sorted(changes.items()))),
)
URLS = st.sampled_from(["https://a.example/", "https://a.example/x?y=[1]", "https://b.example/a.html", "a.html"])


@given(st.lists(RULES, max_size=4).map(tuple), st.lists(RULES, max_size=3).map(tuple), URLS)
def test_policies_are_what_their_text_says(sites: tuple[Rule, ...], types: tuple[Rule, ...], url: str) -> None:
    policies = Policies(Policy(), sites, types)
    again = read_text(policies.text)
    assert (again, again.text) == (policies, policies.text)
    page = document(FAQ)
    assert policies.of(url, page) == policies.at(url).of("anywhere", page), "a site is settled by its URL alone"
    assert policies.override(target=7).of(url, page).target == 7, "what is given for every page wins everywhere"


def test_rules_of_one_match_hold_together(tmp_path: Path) -> None:
    text = "[[policy.page]]\ntype = 'faq'\nmaximum = 100\n[[policy.page]]\ntype = 'faq'\ntarget = 80"
    assert read(written(tmp_path, text)).of("a.html", document(FAQ)) == Policy(80, 100)


def test_rules_that_fit_one_page_and_make_no_sense_together_are_named(tmp_path: Path) -> None:
    text = "[[policy.site]]\nmatch = 'a*'\ntarget = 400\n[[policy.site]]\nmatch = '*'\nmaximum = 300"
    policies = read(written(tmp_path, text))
    assert policies.at("b.html").default.maximum == 300
    with pytest.raises(ConfigError) as error:
        policies.at("a.html")
    assert str(error.value) == (
        'target 400, maximum 300 for "a*" and "*", which fit a.html: a policy needs 1 <= target <= maximum; '
        "change one of these rules and give --policy again"
    )


def test_a_match_means_what_it_says() -> None:
    exact = Policies(Policy(), (Rule("https://a.example/x?y=[1]", (("target", 9),)),))
    assert exact.at("https://a.example/x?y=[1]").default.target == 9
    assert exact.at("https://a.example/xZy=1").default.target == 160
    assert exact.at("https://a.example/x?y=[1]/more").default.target == 160


def test_a_file_names_every_field_of_a_policy(tmp_path: Path) -> None:
    said = {field.name: getattr(Policy(), field.name) for field in fields(Policy)}
    lines = [
        f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}" for name, value in said.items()
    ]
    assert asdict(read(written(tmp_path, "[policy]\n" + "\n".join(lines))).default) == said


# the command


def test_the_file_beside_is_read_and_options_override_it(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(LONG, encoding="utf-8")

    def chunks(*options: str) -> int:
        code, out, noise = command("chunk", "page.html", "--json", *options, cwd=tmp_path)
        assert code == 0, noise
        return len(out.splitlines())

    default = chunks()
    (tmp_path / "wrac.toml").write_text("[policy]\ntarget = 40\nmaximum = 80\n")
    beside = chunks()
    assert beside > default
    (tmp_path / "other.toml").write_text("[policy]\ntarget = 400\n")
    assert chunks("--policy", "other.toml") < default
    assert chunks("--max-tokens", "512", "--target", "160") == default
    code, _, noise = command("plan", "page.html", "--target", "100", cwd=tmp_path)
    assert code == 2
    assert noise == "wrac: target 100, maximum 80: a policy needs 1 <= target <= maximum\n"
    code, _, noise = command("plan", "page.html", "--policy", "none.toml", cwd=tmp_path)
    assert (code, noise) == (2, "wrac: none.toml: no such file or directory; give a policy file\n")


# page types


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("", "prose"),
        (PROSE, "prose"),
        (FAQ, "faq"),
        (FAQ.replace("?</h2>", '?<a href="#x">¶</a></h2>'), "faq"),
        ("<h1>A</h1>" + "<details><summary>Q</summary><p>A longer answer.</p></details>" * 3, "faq"),
        ("<h1>A</h1><p>Text.</p>" + "<details><summary>Q</summary><p>A longer answer.</p></details>" * 2, "prose"),
        ("<h1>What is ABS?</h1><p>A system.</p><h2>Use</h2><p>Brake hard.</p>", "article"),
        ("<h1>API</h1><dl>" + "<dt>f()</dt><dd>Does what it is called for.</dd>" * 4 + "</dl>", "reference"),
        ("<h1>API</h1><p>Use:</p><pre>first line\nsecond line\nthird line</pre>", "reference"),
        ("<h1>P</h1><table><tr><th>a<th>b" + "<tr><td>some cell<td>another" * 4 + "</table>", "table"),
        ("<h1>News</h1><ul>" + "<li>A thing that happened somewhere</li>" * 5 + "</ul>", "listing"),
        ("<h1>A</h1><p>One line.</p><h2>B</h2><p>Another line of text.</p>", "article"),
    ],
)
def test_the_type_of_a_page(html: str, kind: str) -> None:
    assert page_type(document(html)) == kind


def test_types_of_real_pages() -> None:
    """Pages whose type nobody would dispute."""
    pages = {path.relative_to(path.parents[1]).as_posix(): path for path in debian.pages("python3.11-doc")}
    if not pages:
        pytest.skip(debian.ABSENT)
    wanted = {
        "faq/design.html": "faq", "faq/library.html": "faq", "faq/windows.html": "faq",
        "html/glossary.html": "reference", "library/os.html": "reference", "library/email.utils.html": "reference",
        "html/about.html": "article", "tutorial/index.html": "listing",
    }  # fmt: skip
    found = {name: page_type(parse(Page(name, pages[name].read_bytes()))) for name in wanted}
    assert found == wanted


def test_types_of_company_pages() -> None:
    folder = existing(FOLDER / "rmc")
    wanted = {
        "cloudway/html/Awards & Recognitions.html": "listing",
        "zx-bank/html/ATM Locations at Major Hospitals.html": "listing",
        "zx-bank/html/Agra Branch Network Overview.html": "table", "aventro/html/Parts-3.html": "table",
        "aventro/html/About Aventro Motors.html": "article", "cloudway/html/Baggage Allowance.html": "article",
    }  # fmt: skip
    found = {name: page_type(parse(Page(name, (folder / name).read_bytes()))) for name in wanted}
    assert found == wanted
