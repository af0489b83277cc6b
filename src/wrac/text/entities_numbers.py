"""Dates, amounts and versions: what a number is, from what stands before and behind it."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from wrac.text.entities_words import (
    CURRENCY_LEADS,
    CURRENCY_SIGNS,
    MONTHS,
    SCALES,
    STANDARDS,
    UNITS,
    VERSION_LEADS,
    YEAR_LEADS,
)

Kind = Literal["date", "amount", "version"]


class Numbered(NamedTuple):
    """What the number is, and where it begins and ends with all that belongs to it."""

    kind: Kind
    start: int
    end: int


def _any(words: list[str] | frozenset[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


_MONTH: Final = f"(?i:{_any(MONTHS)})(?![^\\W_])\\.?"
_YEAR: Final = r"(?:1[5-9]|20|21)\d\d(?!\d)"
_DAY: Final = r"(?:3[01]|[12]\d|0?[1-9])"
_TIME: Final = r"(?:[T ](?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_DASH: Final = r"\s?(?:[-–—~～〜/]|to|bis|à|a|until|till|至|到|から)\s?"
_NUMBER: Final = (
    r"\d{1,3}(?:[ \u00a0\u202f.,'’]\d{3})+(?:[.,]\d+)?(?!\d)|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?|\d+(?:[.,]\d+)?"
)
_CJK_SCALE: Final = "[十百千万億兆亿萬]{1,2}"
_SCALE: Final = f"(?:[ \u00a0]?(?i:{_any(frozenset(SCALES))})(?![^\\W_])|(?:k|K|M|bn|B|m)(?![^\\W_])|{_CJK_SCALE})?"
_CJK_UNIT: Final = (
    "円|元|美元|欧元|人民币|ドル|ユーロ|ポンド|ウォン|원|달러|人|名|件|個|个|台|本|枚|回|次|日間|天|日|時間|小时|分間|分钟|分|秒間|秒"
    "|年間|か月|ヶ月|カ月|ヵ月|个月|週間|周|歳|岁|倍|割|公里|公斤|千克|克|吨|米|厘米|毫米|平方米|升|毫升|キロ|グラム|メートル|パーセント|％"
    "|일|시간|분|초|개월|년간|명|개"
)
_UNIT: Final = f"(?:[ \u00a0\u202f-]?(?:%|‰|[{CURRENCY_SIGNS}]|°[CF]?|(?i:{_any(frozenset(UNITS))})(?![^\\W_])[.²³]?)|[ ]?(?:{_CJK_UNIT}))"

# In this order: the first that fits is meant.
_DATES: Final = re.compile(
    "|".join(
        (
            rf"{_YEAR}([-/.])(?:0?[1-9]|1[0-2])\1{_DAY}(?!\d){_TIME}",
            rf"{_DAY}([./-])(?:0?[1-9]|1[0-2])\2(?:{_YEAR}|\d\d)(?![\d.]\d)",
            rf"(?:0?[1-9]|1[0-2])/{_DAY}/(?:{_YEAR}|\d\d)(?!\d)",
            rf"\d{{1,4}}年(?!間)(?:\s?\d{{1,2}}月(?:\s?\d{{1,2}}日)?)?(?:度|末|初|代)?|\d{{1,2}}月(?:\s?\d{{1,2}}日)?(?!間)",
            rf"\d{{4}}년(?:\s?\d{{1,2}}월(?:\s?\d{{1,2}}일)?)?|\d{{1,2}}월(?:\s?\d{{1,2}}일)?",
            rf"{_DAY}(?:st|nd|rd|th|er|º|\.)?(?:{_DASH}{_DAY}(?:st|nd|rd|th|\.)?)?\s(?:of\s|de\s)?{_MONTH}"
            rf"(?:,?\s(?:de\s|del\s)?{_YEAR})?",
            rf"[1-4](?:st|nd|rd|th|\.|er|e|º)?\s(?:[Qq]uarter|Quartal|trimestre|trim\.)(?:\s(?:of\s|de\s)?{_YEAR})?",
            rf"{_YEAR}{_DASH}(?:{_YEAR}|\d\d(?![\d.,%]))(?![^\W_])",
            rf"{_YEAR}s(?![^\W_])",
        )
    )
)
_AFTER_MONTH: Final = re.compile(
    rf"{_DAY}(?:st|nd|rd|th)?(?!\d|:)(?:{_DASH}{_DAY}(?:st|nd|rd|th)?(?!\d))?(?:,?\s{_YEAR})?|{_YEAR}"
)
_QUARTER: Final = re.compile(rf"[1-4](?:[ /-]?{_YEAR}|\s?FY\d\d)?")
_AMOUNT: Final = re.compile(
    f"(?:{_NUMBER}){_SCALE}(?:{_UNIT})?(?:{_DASH}[{CURRENCY_SIGNS}]?(?:{_NUMBER}){_SCALE}(?:{_UNIT})?)?(?![^\\W_])"
)
_UNITED: Final = re.compile(f"(?:{_NUMBER}){_SCALE}(?:{_DASH}[{CURRENCY_SIGNS}]?(?:{_NUMBER}){_SCALE})?{_UNIT}")
_DOTTED: Final = re.compile(
    r"\d+(?:\.\d+)+(?:\.[x*])?(?:[-+.]?(?:alpha|beta|rc|dev|post|pre|a|b)[-.]?\d*)?(?![\d.]*[^\W_])"
)
_VERSION: Final = re.compile(
    r"\d+(?:\.\d+)*(?:\.[x*])?(?:[-+.]?(?:alpha|beta|rc|dev|post|pre|a|b)[-.]?\d*)?\+?(?![^\W_])"
)
_STANDARD: Final = re.compile(r"\d+(?:[-.]\d+)*(?::\d{4})?[a-z]{0,2}(?![^\W_])")
_LONE_YEAR: Final = re.compile(rf"{_YEAR}(?![^\W_]|[.,:]\d|\s?[%€$])")
_RUN: Final = re.compile(r"\d+")
_BEFORE: Final = 32
_ERA: Final = ("令和", "平成", "昭和", "大正", "明治", "民国")
_NAMED: Final = re.compile(r"[^\W\d_]*[A-Z][^\W_]*[+#]*")


def numbered(text: str) -> list[Numbered]:
    """Dates, amounts and versions, ascending and disjoint. Time is linear in the text."""
    found: list[Numbered] = []
    done = 0
    for run in _RUN.finditer(text):
        if run.start() < done:
            continue
        one = _read(text, run.start(), done)
        if one is not None:
            found.append(one)
            done = one.end
    return found


def _read(text: str, at: int, floor: int) -> Numbered | None:
    """What the number at an offset is; nothing before `floor` belongs to it."""
    before = text[max(at - _BEFORE, floor) : at]
    last = before[-1:]
    if last.isalpha() and last.isascii():
        return _attached(text, at, before)
    if found := _DATES.match(text, at):
        start = at - 2 if before.endswith(_ERA) else at
        return Numbered("date", start, found.end())
    words = before.split()[-3:] if before else []
    word = words[-1].casefold().lstrip("([\"'“„") if words and not before.endswith("\n") else ""
    near = len(before) - len(before.rstrip()) <= 1
    return (_led(text, at, before, word, words) if near else None) or _alone(text, at, before, word)


def _led(text: str, at: int, before: str, word: str, words: list[str]) -> Numbered | None:
    """A number that the word or sign before it explains."""
    if before.rstrip(" \u00a0")[-1:] in CURRENCY_SIGNS and before:
        sign = at - len(before) + len(before.rstrip(" \u00a0")) - 1
        while sign > at - len(before) and sign > at - 4 and text[sign - 1].isupper():
            sign -= 1  # US$, R$
        return _span("amount", _AMOUNT, text, sign, at)
    if not word:
        return None
    start = at - len(before) + before.rfind(words[-1]) + (len(words[-1]) - len(word))
    if word in CURRENCY_LEADS:
        return _span("amount", _AMOUNT, text, start, at)
    if word.rstrip(".") in MONTHS and before[-1:].isspace():
        return _span("date", _AFTER_MONTH, text, start, at)
    if word in ("de", "del") and len(words) > 1 and words[-2].casefold() in MONTHS:
        return _span("date", _LONE_YEAR, text, at - len(before) + before.rfind(words[-2]), at)
    if word in STANDARDS and words[-1].isupper():
        return _span("version", _STANDARD, text, start, at)
    if word in VERSION_LEADS:
        return _span("version", _VERSION, text, start, at)
    if _NAMED.fullmatch(words[-1].lstrip("([\"'“„")) and not _UNITED.match(text, at):
        return _span("version", _DOTTED, text, start, at)
    return None


def _alone(text: str, at: int, before: str, word: str) -> Numbered | None:
    """A number that explains itself, or that what follows explains."""
    if before[-1:] in "+-−±~≈<>≤≥" and before and not before[-2:-1].isalnum():
        start = at - 1
    else:
        start = at
    if before[-1:].isdigit() or (before[-1:] in ".,:" and before[-2:-1].isdigit()):
        return None
    if found := _UNITED.match(text, at):
        return Numbered("amount", start, found.end())
    dotted = _DOTTED.match(text, at)
    if dotted and dotted[0].count(".") == 2:
        return Numbered("version", at, dotted.end())
    if (word in YEAR_LEADS or before[-1:] in ("(", "©")) and (found := _LONE_YEAR.match(text, at)):
        return Numbered("date", at, found.end())
    return None


def _attached(text: str, at: int, before: str) -> Numbered | None:
    """A number right behind Latin letters: `v3.11`, `Q3 2024`, `USD500`."""
    letters = before[len(before.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) :]
    start = at - len(letters)
    if start and (text[start - 1].isalnum() and text[start - 1].isascii()):
        return None
    if letters in ("v", "V"):
        return _span("version", _VERSION, text, start, at)
    if letters in ("Q", "H", "T", "FY") and (found := _QUARTER.match(text, at)):
        whole = letters != "FY" and (letters == "Q" or len(found[0]) > 1) and found.end() < len(text) + 1
        if whole and not text[found.end() : found.end() + 1].isalnum():
            return Numbered("date", start, found.end())
    if letters == "FY":
        return _span("date", re.compile(r"\d{2,4}(?:[-/]\d{2,4})?(?![^\W_])"), text, start, at)
    if letters.casefold() in CURRENCY_LEADS and len(letters) > 1:
        return _span("amount", _AMOUNT, text, start, at)
    return None


def _span(kind: Kind, pattern: re.Pattern[str], text: str, start: int, at: int) -> Numbered | None:
    """What begins at `start` and whose number, at `at`, is as the pattern says."""
    found = pattern.match(text, at)
    return Numbered(kind, start, found.end()) if found else None
