"""The package with its hot modules compiled by mypyc, from the same source, in a folder of its own.

    python scripts/compile_hot.py FOLDER          FOLDER/wrac is then what PYTHONPATH=FOLDER imports

The checkout itself stays pure Python: an edit there is never shadowed by code compiled before it. `WRAC_COMPILE=1 pip
install .` puts the same modules into the wheel. Needs a C compiler and mypy, and a minute.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
HOT = (
    "core/ids.py", "core/structure.py", "parsing/dom.py", "parsing/tags.py", "parsing/frames.py", "parsing/run.py",
    "parsing/outline.py", "parsing/roles.py", "parsing/emit.py", "parsing/inline.py", "parsing/blocks.py",
    "parsing/tables.py", "parsing/special.py", "parsing/segment.py", "parsing/finish.py",
    "parsing/markdown.py", "parsing/xlsx.py",  # they extend a compiled class, which only a compiled one can
    "parsing/boxes.py", "parsing/names.py", "parsing/features.py",
    "planning/costs.py", "planning/rules.py", "planning/omissions.py", "chunking.py",
    "text/inline.py", "text/nesting.py", "text/render.py", "text/setting.py",
)  # fmt: skip
"""The modules in which a page's time goes; all but the two that are named for another reason."""


def compile_into(folder: Path) -> list[Path]:
    """The extension modules, in a copy of the package at `folder`; a copy of the same source is used again.

    Raises SystemExit with what mypyc said when it fails.
    """
    mark, source = folder / "source.digest", digest()
    if not (mark.is_file() and mark.read_text() == source):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
        files = [f"wrac/{name}" for name in HOT]
        environment = {**os.environ, "MYPYPATH": ".", "MYPYC_OPT_LEVEL": "3", "MYPYC_DEBUG_LEVEL": "0"}
        # A build has none of the packages that wrac needs, so what they say of their types is not known.
        command = [sys.executable, "-m", "mypyc", "--ignore-missing-imports", "--follow-imports=silent", *files]
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if run.returncode:
            said = (run.stdout + run.stderr).splitlines()
            sys.exit("\n".join(["mypyc could not compile:", *(line for line in said if "error" in line.lower())]))
        shutil.rmtree(folder / "build")
        mark.write_text(source)
    return sorted(path for path in folder.rglob("*") if path.suffix in {".so", ".pyd"})


def digest() -> str:
    """What the compiled modules depend on: the package's source, this file and the interpreter."""
    found = hashlib.blake2b(sys.version.encode())
    for path in (*sorted(SOURCE.rglob("*.py")), Path(__file__)):
        found.update(path.read_bytes())
    return found.hexdigest()


def main() -> None:
    """Compiles into the folder that is named."""
    made = compile_into(Path(sys.argv[1]).resolve())
    print(f"{len(made)} extension modules in {sys.argv[1]}")


if __name__ == "__main__":
    main()
