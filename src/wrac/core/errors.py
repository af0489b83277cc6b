"""Every error wrac raises on purpose. The class says what the caller should do; `exit_code` is the command's.

WracError                     exit 1
    ConfigError               exit 2   change the option, the policy or the installation, then run again
        MissingExtraError     exit 2   install the extra it names
    InputError                exit 3   this source cannot be used; others can
        LimitError            exit 3   the source is beyond a cap on depth, size or time
    WorkspaceError            exit 4   the workspace is absent, damaged or of another version
        BusyError             exit 75  another process is writing; try again later
        NotFoundError         exit 4   the workspace holds nothing under that name
    StorageError              exit 74  the disk is full or the file system failed; free space, then run again
    RemoteError               exit 69  a server did not answer as it should; a retry may help
    PlanError                 exit 1   a planner broke the partition law; report it, or choose another planner
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class WracError(Exception):
    """The root: one line that says what happened and what to do."""

    exit_code = 1


class ConfigError(WracError):
    """An option, a policy or the installation is wrong."""

    exit_code = 2


class MissingExtraError(ConfigError):
    """A capability that is not installed."""

    def __init__(self, extra: str, why: str) -> None:
        self.extra = extra
        super().__init__(f'{why} needs an extra: pip install "wrac[{extra}]"')


class InputError(WracError):
    """A source that cannot be read or parsed."""

    exit_code = 3

    def __init__(self, source: str, problem: str, advice: str = "") -> None:
        self.source, self.problem, self.advice = source, problem, advice
        super().__init__(f"{source}: {problem}" + (f"; {advice}" if advice else ""))


class LimitError(InputError):
    """A source beyond a cap; `cap` names it, `limit` is its value; `advice` where no option of that name raises it."""

    def __init__(self, source: str, cap: str, limit: float, found: float | str, advice: str = "") -> None:
        self.cap, self.limit, self.found = cap, limit, found
        super().__init__(source, f"{cap} is {found}, the cap is {limit}", advice or f"raise it with --max-{cap}")


class WorkspaceError(WracError):
    """A workspace that cannot be used as it is."""

    exit_code = 4

    def __init__(self, path: Path | str, problem: str, advice: str = "") -> None:
        self.path, self.problem, self.advice = str(path), problem, advice
        super().__init__(f"{path}: {problem}" + (f"; {advice}" if advice else ""))


class BusyError(WorkspaceError):
    """Another process holds the workspace's writer lock."""

    exit_code = 75


class NotFoundError(WorkspaceError):
    """No chunk, page or unit under the given name."""


class StorageError(WracError):
    """The disk is full or the file system failed; what was committed before is intact."""

    exit_code = 74


class RemoteError(WracError):
    """A server answered with an error or not at all."""

    exit_code = 69

    def __init__(self, url: str, problem: str, advice: str = "") -> None:
        self.url, self.problem, self.advice = url, problem, advice
        super().__init__(f"{url}: {problem}" + (f"; {advice}" if advice else ""))


class PlanError(WracError):
    """A plan that is no partition of its document; `missing`, `twice` and `unknown` are ordinals, ascending."""

    def __init__(
        self, planner: str, document: str, missing: Sequence[int], twice: Sequence[int], unknown: Sequence[int]
    ) -> None:
        self.planner, self.document = planner, document
        self.missing, self.twice, self.unknown = tuple(missing), tuple(twice), tuple(unknown)
        faults = (("missing", self.missing), ("twice", self.twice), ("unknown", self.unknown))
        told = "; ".join(f"{name} {_listed(ordinals)}" for name, ordinals in faults if ordinals)
        super().__init__(f"{planner} made no partition of {document}: {told}; choose another planner")


def _listed(ordinals: Sequence[int], shown: int = 12) -> str:
    text = ", ".join(map(str, ordinals[:shown]))
    return text if len(ordinals) <= shown else f"{text} and {len(ordinals) - shown} more"
