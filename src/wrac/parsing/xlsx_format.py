"""Numbers as a spreadsheet shows them: the common formats, English names, ISO for the date format of the locale."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import Final, NamedTuple

BUILT_IN: Final = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
}  # fmt: skip
_TOKEN: Final = re.compile(
    r'"(?P<text>[^"]*)"|\\(?P<char>.)|(?P<skip>[_*].)|\[\$(?P<money>[^\]-]*)[^\]]*\]|\[(?P<over>[hms]+)\]'
    r"|(?P<note>\[[^\]]*\])|(?P<general>General)|(?P<half>AM/PM|A/P)|(?P<power>E[+-][0#?]+)"
    r"|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|e)|(?P<digits>[0#?](?:[0#?,]|\.(?=[0#?%E,]|$))*|\.[0#?]+)"
    r"|(?P<percent>%)|(?P<at>@)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class _Part(NamedTuple):
    kind: str  # of the token, such as "digits"
    text: str


@lru_cache(maxsize=16384)
def shown(value: str, code: str, since_1904: bool = False) -> str:
    """The text that a cell with this stored number and format code shows; the number itself when it cannot be told."""
    if code == "General" and len(value) < 16 and value.isdigit():
        return value
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    if not number.is_finite() or abs(number.adjusted()) > 400:
        return value
    sections = _sections(code)
    which = 1 if number < 0 and len(sections) > 1 else 2 if number == 0 and len(sections) > 2 else 0
    parts = sections[which]
    kinds = {part.kind for part in parts}
    if kinds & {"date", "over"}:
        return _date(number, parts, since_1904=since_1904)
    fraction = any(part.kind == "other" and part.text == "/" for part in parts)
    if kinds & {"digits", "percent"} and not fraction:
        return _number(abs(number) if which == 1 else number, parts)
    return general(number) if fraction else _worded(number, parts)


def _worded(number: Decimal, parts: tuple[_Part, ...]) -> str:
    """A number by a section without digits: its texts alone, or around the number where it says General."""
    texts = [general(number) if part.kind in ("general", "at") else _literal(part) for part in parts]
    return "".join(texts)


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[tuple[_Part, ...], ...]:
    """The parts of each section of a code: positive, negative, zero; the fourth is for texts."""
    sections: list[list[_Part]] = [[]]
    for found in _TOKEN.finditer(code):
        kind = found.lastgroup or "other"
        if kind == "other" and found[0] == ";":
            sections.append([])
        elif kind not in ("note", "skip"):
            sections[-1].append(_Part(kind, found[kind]))
    return tuple(tuple(section) for section in sections[:3])


def general(number: Decimal) -> str:
    """A number without a format: whole ones in full, others with at most ten significant digits."""
    if number == number.to_integral_value() and abs(number) < Decimal(10) ** 15:
        return str(int(number))
    return f"{float(number):.10g}".replace("e", "E")


def _literal(part: _Part) -> str:
    return part.text if part.kind in ("text", "char", "money", "other", "percent") else ""


def _number(number: Decimal, parts: tuple[_Part, ...]) -> str:
    """A number with the digits, separators, sign and texts of a section."""
    pattern = "".join(part.text for part in parts if part.kind == "digits")
    percent = sum(part.kind == "percent" for part in parts)
    power = next((part.text for part in parts if part.kind == "power"), "")
    scaled = number * Decimal(100) ** percent
    whole, point, fraction = pattern.partition(".")
    last = fraction if point else whole  # a comma after the last digit of either divides by a thousand
    commas = len(last) - len(last.rstrip(",")) + (len(whole) - len(whole.rstrip(",")) if point else 0)
    whole, fraction, scaled = whole.rstrip(","), fraction.rstrip(","), scaled / 1000**commas
    digits = _scientific(scaled, fraction, power) if power else _plain(abs(scaled), whole, fraction)
    sign = "-" if scaled < 0 and digits.strip("0.,") else ""
    texts, written = [], False
    for part in parts:
        if part.kind == "digits":
            texts.append("" if written else digits)
            written = True
        else:
            texts.append(_literal(part))
    return sign + "".join(texts).strip()


def _plain(number: Decimal, whole: str, fraction: str) -> str:
    places = sum(char in "0#?" for char in fraction)
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) if number.adjusted() < 20 else number
    left, _, right = f"{rounded:f}".partition(".")
    left = left.lstrip("0").rjust(whole.count("0"), "0")
    if "," in whole.strip(","):
        left = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", left)
    while right and len(right) > fraction.count("0") and right.endswith("0"):
        right = right[:-1]
    return f"{left}.{right}" if right else left or ("" if "0" not in whole and whole else "0")


def _scientific(number: Decimal, fraction: str, power: str) -> str:
    places = sum(char in "0#?" for char in fraction)
    mantissa, _, exponent = f"{abs(number):.{places}E}".partition("E")
    sign = "-" if exponent.startswith("-") else "+" if power[1] == "+" else ""
    return f"{mantissa}E{sign}{exponent.lstrip('+-').zfill(len(power) - 2)}"


# -- dates


def _date(number: Decimal, parts: tuple[_Part, ...], *, since_1904: bool) -> str:
    """A day and time by its number of days: since 1904, or since 1900 with a 29 February that never was."""
    if not 0 <= number < 2_958_466:
        return general(number)
    seconds_shown = any(
        part.kind == "date" and part.text.lower().startswith("s") and "." in part.text for part in parts
    )
    seconds = (number * 86_400).quantize(Decimal("0.001") if seconds_shown else Decimal(1), ROUND_HALF_UP)
    days = 1 if not since_1904 and seconds < 60 * 86_400 else 0
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)
    moment = start + timedelta(days=days, seconds=float(seconds))
    half = any(part.kind == "half" for part in parts)
    return "".join(_piece(parts, place, moment, seconds, half=half) for place in range(len(parts))).strip()


def _piece(parts: tuple[_Part, ...], place: int, moment: datetime, seconds: Decimal, *, half: bool) -> str:
    kind, text = parts[place]
    lower = text.lower()
    if kind == "over":
        size = {"h": 3600, "m": 60, "s": 1}[lower[0]]
        return str(int(seconds // size)).zfill(len(text))
    if kind == "half":
        return ("AM" if moment.hour < 12 else "PM")[: 2 if len(text) > 3 else 1]
    if kind != "date":
        return _literal(parts[place])
    if lower[0] == "m" and _is_minute(parts, place):
        return str(moment.minute).zfill(len(text))
    return _field(lower, moment, half=half)


def _field(token: str, moment: datetime, *, half: bool) -> str:
    kind, size = token[0], len(token)
    if kind in "ye":
        return f"{moment.year:04}" if size > 2 or kind == "e" else f"{moment.year % 100:02}"
    if kind == "m":
        name = _MONTHS[moment.month - 1]
        return (str(moment.month).zfill(size), name[:3], name, name[:1])[max(min(size, 5) - 2, 0)]
    if kind == "d":
        name = _DAYS[moment.weekday()]
        return str(moment.day).zfill(size) if size < 3 else name[:3] if size == 3 else name
    if kind == "h":
        return str((moment.hour - 1) % 12 + 1 if half else moment.hour).zfill(size)
    whole, _, part = token.partition(".")
    return str(moment.second).zfill(len(whole)) + (f".{moment.microsecond // 1000:03}"[: len(part) + 1] if part else "")


def _is_minute(parts: tuple[_Part, ...], place: int) -> bool:
    """Whether an `m` means minutes: the token of time before it is an hour, or the one after it a second."""
    before = next((p.text.lower() for p in reversed(parts[:place]) if p.kind in ("date", "over")), "")
    after = next((p.text.lower() for p in parts[place + 1 :] if p.kind in ("date", "over")), "")
    return before.startswith("h") or after.startswith("s")
