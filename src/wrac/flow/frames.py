"""Values between processes: pickles, each after its length."""

from __future__ import annotations

import copyreg
import io
import pickle
import struct
from types import MappingProxyType
from typing import IO, Any

_LENGTH = struct.Struct(">Q")


def send(stream: IO[bytes], value: object) -> None:
    """Write a value and flush."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {**copyreg.dispatch_table, MappingProxyType: _proxy}
    pickler.dump(value)
    data = buffer.getbuffer()
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:  # noqa: ANN401 - what the other side sent
    """The next value. Raises EOFError when the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    size = _LENGTH.unpack(head)[0]
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - from our own process


def frozen(values: dict[str, Any]) -> MappingProxyType[str, Any]:
    """A read-only mapping; its type has no name that a pickle could call it by."""
    return MappingProxyType(values)


def _proxy(value: MappingProxyType[str, Any]) -> tuple[Any, ...]:
    return frozen, (dict(value),)
