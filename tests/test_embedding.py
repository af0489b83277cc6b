"""The shipped model: its files, and vectors that depend on nothing but the text."""

import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.fakes import FakeEmbedder

from wrac.core.errors import ConfigError, InputError
from wrac.core.seams import Embedder
from wrac.embedding import MiniLM, load
from wrac.text.sentences import split

TEXTS = [
    "Refunds are paid to the card within five days.",
    "How long does it take until I get my money back?",
    "The café serves crème brûlée.",
    "json.dumps(obj, *, skipkeys=False) serializes obj to a str.",
    "退款将在五天内退回。",
    "",
    "word " * 200,
    "a \ud800 lone surrogate and \x00 a NUL",
]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return load()


def test_the_shipped_files_are_those_of_the_card(model: MiniLM) -> None:
    model.verify()
    card = json.loads(files("wrac.embedding").joinpath("data/minilm/card.json").read_text("utf-8"))
    assert card["licence"] == "Apache-2.0"
    assert model.name == f"minilm-l6-v2-int8@{card['files']['model.onnx']['sha256'][:8]}"
    notice = Path(__file__).parents[1].joinpath("NOTICE").read_text("utf-8")
    assert card["files"]["model.onnx"]["sha256"] in notice


@pytest.mark.parametrize("make", [load, FakeEmbedder])
def test_rows_are_unit_vectors_and_near_when_the_texts_are(make: type[FakeEmbedder]) -> None:
    embedder: Embedder = make()
    rows = embedder.embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    near, same, far = embedder.embed(["pay the card", "pay the card", "quantum physics lecture notes"])
    assert (near == same).all()
    assert near @ far < 0.6


def test_the_same_text_has_the_same_bits_in_any_company(model: MiniLM) -> None:
    wanted = dict(zip(TEXTS, model.embed(TEXTS), strict=True))
    shuffled = random.Random(7).sample(TEXTS * 2, 2 * len(TEXTS))
    for batch in (shuffled, TEXTS[::-1], TEXTS[:1], TEXTS[3:6]):
        assert all((row == wanted[text]).all() for text, row in zip(batch, model.embed(batch), strict=True))
    alone = MiniLM(threads=1).embed(TEXTS)
    assert all((row == wanted[text]).all() for text, row in zip(TEXTS, alone, strict=True))

    def again(_: int) -> NDArray[np.float32]:
        return model.embed(TEXTS)

    with ThreadPoolExecutor(3) as pool:
        assert all((rows == alone).all() for rows in pool.map(again, range(3)))
    assert (model.embed(TEXTS, query=True) == alone).all()


def test_another_process_gives_the_same_bits(model: MiniLM) -> None:
    code = "import sys, wrac.embedding as e; sys.stdout.buffer.write(e.load().embed([sys.argv[1]]).tobytes())"
    done = subprocess.run([sys.executable, "-c", code, TEXTS[0]], capture_output=True, check=True)
    assert done.stdout == model.embed([TEXTS[0]]).tobytes()
    assert done.stderr == b""


def test_meaning_is_found(model: MiniLM) -> None:
    passages = model.embed([TEXTS[0], TEXTS[2], TEXTS[3]])
    (query,) = model.embed(["when will I be reimbursed?"], query=True)
    assert int(np.argmax(passages @ query)) == 0


def test_nothing_is_cut_but_a_query(model: MiniLM) -> None:
    fitting, longer = "word " * 254, "word " * 255
    assert model.tokens(fitting) == model.window
    assert model.tokens("") == 2
    model.embed([fitting])
    with pytest.raises(InputError, match="257 tokens, the window of minilm"):
        model.embed([TEXTS[0], longer])
    assert (model.embed([longer], query=True) == model.embed([fitting])).all()


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=300))
def test_any_text_can_be_cut_to_a_window(model: MiniLM, text: str) -> None:
    pieces = split(text, lambda piece: model.tokens(piece) <= 9)
    assert "".join(text[start:end] for start, end in pieces) == text
    assert all(model.tokens(text[start:end]) <= 9 for start, end in pieces)


def test_token_vectors_are_unit_rows_of_the_same_run(model: MiniLM) -> None:
    rows = model.token_vectors(TEXTS[0])
    assert rows.shape == (model.tokens(TEXTS[0]) - 2, model.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert model.token_vectors("").shape == (0, model.dimensions)


def test_loading_by_name_or_folder_is_lazy_and_shared(tmp_path: Path) -> None:
    code = "import sys, wrac.embedding as e; e.load().name; print({'onnxruntime', 'tokenizers'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"set()"
    assert load() is load("minilm")
    with pytest.raises(ConfigError, match="no embedder is called 'no-such-model'; use minilm, e5,"):
        load("no-such-model")
    with pytest.raises(ConfigError, match=r"no readable card\.json"):
        load(str(tmp_path))


def test_damaged_files_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(str(files("wrac.embedding").joinpath("data/minilm")), folder)
    assert load(str(folder)).name == load().name
    with (folder / "model.onnx").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\x00\x01\x02\x03")
    with pytest.raises(ConfigError, match=r"model\.onnx: not the file its card describes"):
        MiniLM(folder).verify()
    os.truncate(folder / "model.onnx", 1000)
    with pytest.raises(ConfigError, match=r"model\.onnx: missing or not 22855682 bytes"):
        MiniLM(folder)


def test_close_to_the_full_precision_model(model: MiniLM) -> None:
    source = os.environ.get("WRAC_MINILM_FP32")
    if not source:
        pytest.skip("WRAC_MINILM_FP32 names no folder; scripts/build_minilm.py --keep DIR makes one")
    import onnxruntime  # type: ignore[import-untyped]
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(f"{source}/onnx/model.onnx", providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(f"{source}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = [text for text in TEXTS if text.isprintable() and text.count("word") < 9 and text]
    cosines = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        exact = session.run(None, given)[0][0].mean(axis=0)
        cosines.append(float(model.embed([text])[0] @ exact / np.linalg.norm(exact)))
    assert np.mean(cosines) >= 0.99
