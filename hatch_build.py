"""The build's one option: `WRAC_COMPILE=1 pip install .` compiles the hot modules; anything else builds pure Python.

Never for an editable install, which would go on running what was compiled before an edit.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileHook(BuildHookInterface[Any]):
    """Adds the extension modules of `scripts/compile_hot.py` to a wheel."""

    @staticmethod
    def _asked() -> bool:
        return os.environ.get("WRAC_COMPILE", "0") not in ("", "0")

    def dependencies(self) -> list[str]:
        """What the build itself installs, for a compiled wheel alone."""
        return ["mypy>=1.18", "setuptools"] if self._asked() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles, unless the checkout's cache holds this source compiled, and includes what came out."""
        if not self._asked() or version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "scripts"))
        from compile_hot import compile_into

        folder = Path(self.root) / ".cache/compiled"  # a build comes here twice: for its metadata and for its wheel
        for path in compile_into(folder):
            build_data["force_include"][str(path)] = path.relative_to(folder).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
