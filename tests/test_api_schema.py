"""The OpenAPI document against the server: schemathesis sends what it allows, and what it does not."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.fakes import FakeEmbedder
from tests.serving import running
from tests.site import build

from wrac.flow import Workspace

if find_spec("schemathesis") is None or find_spec("fastapi") is None:
    pytest.skip("needs wrac[dev]", allow_module_level=True)

CONFIG = """
[checks]
# A filter that no page has and sizes that do not fit are refused with 400, which no schema can say.
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "400", "401", "403", "404", "409", "429", "5xx"]
"""


def test_the_server_does_what_its_document_says(tmp_path: Path) -> None:
    """Every check of schemathesis; a server that only reads, since its jobs would go on for long."""
    with Workspace(tmp_path / "shop", embedder=FakeEmbedder()) as opened:
        opened.index(build(tmp_path, 3), workers=0)
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    with running([tmp_path / "shop"], "--read-only") as server:
        command = (
            "-m", "schemathesis.cli", "run", f"{server.url}/v1/openapi.json", "--checks", "all", "--max-examples", "3",
            "--seed", "1", "--suppress-health-check", "all", "--no-color",
        )  # fmt: skip
        found = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )
        assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]
        assert server.client.get("/v1/health/ready").status_code == 200
        metrics = server.client.get("/v1/metrics").text
        assert 'status="500"' not in metrics and 'status="200"' in metrics
