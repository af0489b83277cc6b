"""Prints the speed of token counts, search terms, pieces and vectors on the texts of a folder, and their quality.

    python scripts/measure_text.py FOLDER [--fp32 DIR]

FOLDER holds .md or .txt files. DIR is what `scripts/build_minilm.py --keep DIR` left; with it the mean and the lowest
cosine between the shipped and the full-precision vectors are printed. Times are processor time of this process.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from wrac.embedding import MiniLM, load
from wrac.text.analysis import analyse
from wrac.text.sentences import ends, split
from wrac.text.tokens import counter

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """What `work` gives, the processor seconds and the seconds it took."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def speeds(texts: list[str]) -> list[str]:
    """Megabytes for each processor second, by job; the second number is a second pass with warm caches."""
    size = sum(len(text.encode()) for text in texts) / 1e6
    jobs: dict[str, Callable[[str], object]] = {
        "o200k tokens": counter("o200k").count,
        "minilm tokens": load().tokens,
        "search terms": lambda text: analyse(text, "en"),
        "sentence ends": ends,
    }
    lines = []
    for name, job in jobs.items():
        job("warm")
        passes = [size / timed(lambda job=job: [job(text) for text in texts])[1] for _ in range(2)]  # type: ignore[misc]
        lines.append(f"{name:14} {passes[0]:8.2f} {passes[1]:8.2f} MB a processor second (first, second pass)")
    return lines


def pieces(texts: list[str], limit: int) -> list[str]:
    """The texts cut to at most 160 tokens of the model, the first `limit` of them."""
    model = load()
    found: list[str] = []
    for text in texts:
        found += [text[a:b] for a, b in split(text[:20_000], lambda piece: model.tokens(piece) <= 160)]
        if len(found) >= limit:
            break
    return found[:limit]


def cosines(model: MiniLM, texts: list[str], folder: Path) -> str:
    """Mean and lowest cosine to the full-precision vectors."""
    import onnxruntime  # type: ignore[import-untyped]
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(str(folder / "onnx/model.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    found = []
    for text, row in zip(texts, model.embed(texts), strict=True):
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        exact = session.run(None, given)[0][0].mean(axis=0)
        found.append(float(row @ exact / np.linalg.norm(exact)))
    return f"cosine to fp32 mean {np.mean(found):.4f}, lowest {min(found):.4f} over {len(found)} texts"


def main() -> None:
    """Measures the texts of the folder."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fp32", type=Path, metavar="DIR")
    parser.add_argument("--texts", type=int, default=200, metavar="N", help="how many texts to embed")
    options = parser.parse_args()
    texts = [path.read_text("utf-8") for path in sorted(options.folder.rglob("*")) if path.suffix in {".md", ".txt"}]
    print("\n".join(speeds([line for text in texts for line in text.split("\n\n")])))
    model, sample = load(), pieces(texts, options.texts)
    model.embed(sample[:1])
    _, cpu, wall = timed(lambda: model.embed(sample))
    mean = sum(map(model.tokens, sample)) / len(sample)
    rates = f"{len(sample) / cpu:.1f} texts a processor second, {len(sample) / wall:.1f} a second"
    print(f"vectors        {rates} ({mean:.0f} tokens a text)")
    print(f"one query      {timed(lambda: model.embed(['how are refunds calculated?'], query=True))[2] * 1000:.1f} ms")
    if options.fp32:
        print(cosines(model, sample, options.fp32))


if __name__ == "__main__":
    main()
