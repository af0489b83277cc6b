"""Hypothesis strategies for nasty HTML: trees with errors in them, and soup of tags and bytes."""

from __future__ import annotations

from hypothesis import strategies as st

BLOCKS = ("div", "p", "section", "article", "main", "header", "footer", "nav", "aside", "blockquote", "figure",
          "figcaption", "address", "form", "fieldset", "center", "dialog", "hgroup",
          "h1", "h2", "h3", "h6")  # fmt: skip
LISTS = ("ul", "ol", "li", "dl", "dt", "dd", "menu", "details", "summary")
TABLES = ("table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup")
INLINE = ("a", "b", "i", "em", "strong", "code", "span", "sup", "sub", "kbd", "button", "label", "ruby", "rt", "rp",
          "q", "bdi", "bdo", "small", "font", "nobr", "my-tag", "svg", "math", "mi", "title", "text")  # fmt: skip
RAW = ("pre", "textarea", "xmp", "listing", "template", "noscript", "iframe", "video", "object")
VOID = ("br", "hr", "img", "wbr", "input", "col", "embed", "source")
TAGS = BLOCKS + LISTS + TABLES + INLINE + RAW

ATTRIBUTES = (
    "", "", "", " hidden", ' id="a"', ' id="b"', ' aria-controls="a"', ' aria-controls="b a" aria-expanded=false',
    ' role="tab"', ' role="tabpanel"', ' role="presentation"', ' role=heading aria-level=2', ' colspan="2"',
    ' rowspan="3"', ' rowspan=0', ' colspan="9999"', ' start="5"', " reversed", ' value="7"', ' style="display:none"',
    ' class="cookie-banner"', ' class="breadcrumb"', ' class="language-py"', ' lang="de"', ' href="/x?a=1&amp;b"',
    ' open', ' aria-hidden="true"', ' slot="s"', ' shadowrootmode="open"', " shadowrootmode='closed'",
    " x='\"' y=\"'>\"",
)  # fmt: skip
TEXTS = (
    "word", " ", "\n", "\r\n", "\r", "  two  words ", "\t", "x", "😀", "𝒳y", "é", "e\u0301", "中文", "مرحبا", "\u200d",
    "\u00a0", "\u00ad", "&amp;", "&lt;b&gt;", "&copy", "&#150;", "&#0;", "&notit;", "&", "<", "a<b", "\x00", "\x0c",
    "\u2028", "\ufeff", "\u202e", "\u2067x\u2069", "ก็",
    "&#xD800;", "&#x1F600;", "\n\n", "\t\t", "#", "|", "Ends with colon:", "]]>", "-->", "\ufffd", "\x85",
)  # fmt: skip
# What a select may hold changed in the HTML standard lately: only what all parsers agree on is generated.
WHOLE = (
    "<select><option>one<option>two &amp; three</select>", "<select><optgroup><option> x</option></optgroup></select>",
    '<img alt="alt &amp; text" src=i.png>', "<!-- comment -->", "<!doctype html>", "<?php x ?>", "<![CDATA[c]]>",
    '<iframe srcdoc="&lt;p&gt;in &amp;amp; frame&lt;/p&gt;"></iframe>', "<script>var a = '<p>no</p>';</script>",
    "<style>p { color: red }</style>", "<math><mi>x</mi></math>", "</p>", "</div>", "</b>", "</table>", "</li>",
    "</body>", "</html>", "<frameset>", "<plaintext>", "<table>stray<tr><td>c</table>", "<p/>", "</br>", "<a", "<p x='",
    '<script type="application/json">{"post": {"title": "A long title", "body": "Three words &amp; more"}}</script>',
    '<script>window.__STATE__ = {"posts": [{"author": "x", "text": "<p>Somebody wrote this</p>"}]};</script>',
    '<script type="application/ld+json">{"@type": "Question", "name": "Why?", "acceptedAnswer": {"text": "<b>So"}}'
    "</script>",
    "<div><template shadowrootmode=open>s<slot>f</slot></template>light</div>",
    "<x-y><template shadowrootmode=open><p>s</template>light</x-y>", "<noembed><b>x</b>y</noembed>",
    "<x-y><template shadowrootmode=closed>s<slot>f</slot></template>light</x-y>",
    "<math><mi>m<img alt='a l'></mi></math>", "<ruby>a<rp>(<rt>b<rp>)</ruby>",
    "<svg><foreignObject><p>x</p></foreignObject></svg>",
    "<svg><foreignObject><iframe srcdoc='<p>x'></iframe></foreignObject></svg>",
    "<noscript><img alt=n src=i></noscript>",
    "<iframe srcdoc='<iframe srcdoc=&quot;<p>x&quot;></iframe>'></iframe>",
    '<math><semantics><mi>y</mi><annotation encoding="application/x-tex">\\y</annotation></semantics></math>',
)  # fmt: skip

texts = st.sampled_from(TEXTS) | st.text(st.characters(codec="utf-8"), max_size=6)
names = st.sampled_from(TAGS)


@st.composite
def _element(draw: st.DrawFn, children: st.SearchStrategy[str]) -> str:
    """An element, sometimes unclosed, sometimes closed by another's end tag."""
    tag, attributes = draw(names), draw(st.sampled_from(ATTRIBUTES))
    inner = "".join(draw(st.lists(children, max_size=5)))
    end = draw(st.sampled_from(("same", "same", "same", "same", "none", "other")))
    close = {"same": f"</{tag}>", "none": "", "other": f"</{draw(names)}>"}[end]
    return f"<{tag}{attributes}>{inner}{close}"


leaves = texts | st.sampled_from(WHOLE) | st.sampled_from(VOID).map(lambda tag: f"<{tag}>")
trees = st.lists(st.recursive(leaves, _element, max_leaves=25), max_size=6).map("".join)
"""Pages as text: deep and wide trees with the usual authoring errors."""

tidy_paragraphs = st.lists(
    st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12),
    min_size=1, max_size=8,
)  # fmt: skip
"""Texts of paragraphs that need no escaping."""

tokens = (
    texts
    | st.sampled_from(WHOLE)
    | st.builds("<{}{}>".format, names, st.sampled_from(ATTRIBUTES))
    | st.builds("</{}>".format, names)
)
soup = st.lists(tokens, max_size=40).map("".join)
"""Tags and text in any order."""

byte_soup = st.lists(
    st.binary(max_size=8) | tokens.map(lambda t: t.encode("utf-8", "replace")), max_size=20
).map(b"".join)  # fmt: skip
"""Bytes in no particular encoding, with markup among them."""
