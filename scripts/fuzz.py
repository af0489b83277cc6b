"""Bytes of every media type to a Document and its chunks, led by coverage: every law holds, nothing crashes or hangs.

    pip install "wrac[fuzz]"
    python scripts/fuzz.py [--seconds 600] [--slowest 10] [--keep FOLDER]
    python scripts/fuzz.py --again FILE…        inputs that an earlier run kept

An input's first byte is the media type; its second is a charset or, of a file of parts, which one the rest stands for.
Inputs begin as tests/cases and the small files of the tests; what reaches new code is kept in FOLDER, where the next
run goes on. A run stops at the first input that breaks a law, or takes longer than `--slowest` seconds, and keeps it.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wrac.core.types import Page

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.mutation import mutated

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ("text/html", "text/markdown", "text/plain", "text/csv", "text/tab-separated-values", "application/pdf")
CHARSETS = ("", "utf-8", "windows-1252", "shift_jis", "utf-16le", "iso-2022-jp", "nonsense")


@cache
def archives() -> tuple[tuple[str, dict[str, bytes]], ...]:
    """Media type and parts of a small file of each kind that is an archive."""
    import io
    import zipfile

    from tests.test_formats_bad import FILES

    found = []
    for media_type, body in FILES.items():
        with zipfile.ZipFile(io.BytesIO(body)) as file:
            found.append((media_type, {name: file.read(name) for name in sorted(file.namelist())}))
    return tuple(found)


def page_of(data: bytes) -> Page:
    """The page that an input of two bytes or more stands for."""
    from tests.office import archive

    from wrac.core.types import Page

    number, choice, rest = data[0] % (len(TEXTS) + len(archives())), data[1], data[2:]
    if number < len(TEXTS):
        return Page("https://fuzz.example/", rest, TEXTS[number], CHARSETS[choice % len(CHARSETS)])
    media_type, parts = archives()[number - len(TEXTS)]
    changed = sorted(parts)[choice % len(parts)]
    return Page("https://fuzz.example/", archive({**parts, changed: rest}), media_type)


def seeds() -> Iterator[bytes]:
    """Inputs to begin with: every case, every part of every small file, Markdown, a table and a PDF."""
    from tests.pdf_writer import Sheet, pdf

    for source in sorted((ROOT / "tests/cases").glob("*/input.*")):
        yield bytes((0, 1 if source.suffix == ".html" else 0)) + source.read_bytes()
    for source in sorted((ROOT / "docs").glob("**/*.md")):
        yield bytes((1, 1)) + source.read_bytes()[:3000]
    yield bytes((3, 1)) + b'Plan,"USD, net"\nSmall,"1\n2"\n'
    sheet = Sheet()
    sheet.text(60, 80, "A title", size=20)
    sheet.text(60, 120, "A line of a page.")
    yield bytes((5, 0)) + pdf([sheet])
    for number, (_, parts) in enumerate(archives(), len(TEXTS)):
        for choice, name in enumerate(sorted(parts)):
            yield bytes((number, choice)) + parts[name]


def keeps_the_laws(data: bytes) -> None:
    """Raises AssertionError, or whatever crashed, for an input that breaks a law; a refusal in one line breaks none."""
    from tests.lawbook import check_any

    from wrac.core.errors import InputError

    if len(data) < 2:
        return
    try:
        check_any(page_of(data))
    except InputError as error:
        assert "\n" not in str(error), error  # noqa: S101


def changed(data: bytes, size: int, seed: int) -> bytes:
    """An input made of another: a page broken as authors break pages, or bytes as libFuzzer changes them."""
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    random = Random(seed)
    if len(data) < 2 or random.random() < 0.3:
        return bytes(atheris.Mutate(data, size))
    return (data[:2] + mutated(data[2:], random, data[2:]))[:size]


def within(seconds: int, data: bytes) -> None:
    """`keeps_the_laws` that takes this much processor time at most. Raises TimeoutError."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        keeps_the_laws(data)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _late(*_: object) -> None:
    raise TimeoutError


def fuzz(seconds: int, slowest: int, folder: Path) -> None:
    """Runs until the time is over or an input breaks a law, which is kept; does not return."""
    import atheris

    with atheris.instrument_imports(include=["wrac.parsing", "wrac.planning", "wrac.chunking", "wrac.text"]):
        import tests.lawbook  # noqa: F401
    begin = folder / "seeds"
    begin.mkdir(parents=True, exist_ok=True)
    (folder / "found").mkdir(exist_ok=True)
    for seed in seeds():
        (begin / named(seed)).write_bytes(seed)

    def tried(data: bytes) -> None:
        try:
            within(slowest, data)
        except BaseException:
            kept = folder / f"broken-{named(data)}"
            kept.write_bytes(data)
            print(f"kept as {kept}", flush=True)
            raise

    signal.signal(signal.SIGPROF, _late)
    options = {"max_total_time": seconds, "timeout": 60 * slowest, "max_len": 6000, "rss_limit_mb": 4000, "reload": 0}
    flags = [f"-{name}={value}" for name, value in options.items()]
    arguments = [sys.argv[0], *flags, f"-artifact_prefix={folder}/", str(folder / "found"), str(begin)]
    atheris.Setup(arguments, tried, custom_mutator=changed)
    atheris.Fuzz()


def named(data: bytes) -> str:
    """A file name for an input."""
    return blake2b(data, digest_size=8).hexdigest()


def main() -> None:
    """Fuzzes, or tries kept inputs again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600, help="how long to run")
    parser.add_argument("--slowest", type=int, default=10, help="seconds that one input may take")
    parser.add_argument(
        "--keep", type=Path, default=ROOT / ".cache/fuzz", metavar="FOLDER", help="where inputs are kept"
    )
    parser.add_argument(
        "--again", type=Path, nargs="+", metavar="FILE", help="try these inputs and stop at a broken law"
    )
    options = parser.parse_args()
    if options.again:
        for path in options.again:
            keeps_the_laws(path.read_bytes())
        print(f"{len(options.again)} inputs keep the laws")
        return
    try:
        fuzz(options.seconds, options.slowest, options.keep)
    except ModuleNotFoundError as error:
        if error.name != "atheris":
            raise
        sys.exit('atheris is not installed: pip install "wrac[fuzz]"')


if __name__ == "__main__":
    main()
