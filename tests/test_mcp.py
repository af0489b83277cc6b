"""The MCP server by the SDK's own client: in memory, by pipes and over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from wrac.cli.run import run
from wrac.flow import Workspace

pytest.importorskip("mcp", reason='needs pip install "wrac[mcp]"')

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent, TextResourceContents

from wrac.mcp.server import PAGE, create

SITE = "examples/site"
_Made = TypeVar("_Made")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mcp") / "w"
    with Workspace(path) as workspace:
        workspace.index([SITE])
    return path


@pytest.fixture(scope="module")
def workspace(place: Path) -> Iterator[Workspace]:
    with Workspace(place) as opened:
        yield opened


def talk(target: Any, work: Callable[[Client], Awaitable[_Made]]) -> _Made:
    async def talked() -> _Made:
        async with Client(target) as client:
            return await work(client)

    return asyncio.run(talked())


def call(workspace: Workspace, tool: str, **given: Any) -> CallToolResult:
    return talk(create(workspace), lambda client: client.call_tool(tool, given))


def text(result: CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def test_tools_say_what_they_take_and_whether_they_change_anything(workspace: Workspace) -> None:
    listed = talk(create(workspace), lambda client: client.list_tools())
    tools = {tool.name: tool for tool in listed.tools}
    assert set(tools) == {"search", "read_chunk", "read_page_section", "list_pages", "ask", "feedback"}
    for name, tool in tools.items():
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (name != "feedback")
        assert all(one.get("description") for one in tool.input_schema["properties"].values()), name


def test_a_hit_is_short_and_has_its_address(workspace: Workspace) -> None:
    found = call(workspace, "search", query="Does wrac rewrite my text?", k=3)
    hits = found.structured_content["hits"]
    assert len(hits) == 3
    for hit in hits:
        assert hit["link"] in text(found)
        assert hit["chunk"] in text(found)
        assert "markdown" not in hit
    assert len(text(found)) < 3 * 900


def test_a_hit_leads_to_its_chunk_and_its_page(workspace: Workspace) -> None:
    hit = call(workspace, "search", query="cosine similarity of vectors").structured_content["hits"][0]
    chunk = call(workspace, "read_chunk", chunk=hit["chunk"])
    assert chunk.structured_content["url"] == hit["url"]
    assert hit["link"] in text(chunk)
    page = call(workspace, "read_page_section", url=hit["url"], budget=20_000)
    assert page.structured_content["following"] is None
    for unit in chunk.structured_content["units"]:
        assert unit["name"] in {one["name"] for one in page.structured_content["units"]}


def test_parts_of_a_page_are_the_page(workspace: Workspace) -> None:
    url = workspace.pages()[3].url
    whole = call(workspace, "read_page_section", url=url, budget=20_000).structured_content["units"]
    parts: list[Any] = []
    start: int | None = 0
    while start is not None:
        part = call(workspace, "read_page_section", url=url, budget=60, start=start).structured_content
        parts += part["units"]
        start = part["following"]
    assert parts == whole


def test_the_first_part_of_a_page_lists_its_sections(workspace: Workspace) -> None:
    url = workspace.pages()[3].url
    first = call(workspace, "read_page_section", url=url, budget=60)
    outline = first.structured_content["outline"]
    assert outline
    for heading in outline:
        for wanted in (
            heading["name"],
            heading["title"].upper(),
            *(["#" + heading["anchor"]] * bool(heading["anchor"])),
        ):
            section = call(workspace, "read_page_section", url=url, section=wanted).structured_content
            assert section["name"] == heading["name"]
            assert heading["title"] in section["markdown"]


def test_pages_are_listed_in_parts(workspace: Workspace) -> None:
    everything = [one.url for one in workspace.pages()]
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        part = call(workspace, "list_pages", after=after, limit=4).structured_content
        seen += [one["url"] for one in part["pages"]]
        after = part["after"]
    assert seen == everything


def test_feedback_is_an_event(workspace: Workspace) -> None:
    hit = call(workspace, "search", query="price of a page").structured_content["hits"][0]
    call(workspace, "feedback", chunk=hit["chunk"], verdict="bad", query="price of a page", note="too old")
    event = [one for one in workspace.log.read() if one.name == "feedback"][-1]
    assert (event.fields["verdict"], event.fields["note"]) == (-1, "too old")


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("read_chunk", {"chunk": "c1:ffff"}, "no chunk is called c1:ffff; take an id from `wrac search`"),
        ("search", {"query": "  "}, "the query is empty; ask a question or give some words"),
        ("search", {"query": "a", "where": {"colour": "red"}}, "colour: no page has such metadata"),
        ("read_page_section", {"url": "nowhere"}, "no page is called nowhere; take a URL from `wrac search`"),
        ("feedback", {"chunk": "c1:ffff", "verdict": "good"}, "no chunk is called c1:ffff"),
    ],
)
def test_errors_are_told_to_the_model(workspace: Workspace, tool: str, given: dict[str, Any], said: str) -> None:
    found = call(workspace, tool, **given)
    assert found.is_error
    assert said in text(found)


def test_arguments_beyond_their_bounds_are_refused(workspace: Workspace) -> None:
    for tool, given in (
        ("search", {"query": "a", "k": 0}),
        ("search", {"query": "x" * 30_000}),
        ("feedback", {"chunk": "c1:00", "verdict": "perfect"}),
        ("read_page_section", {"url": "x", "start": -1}),
    ):
        assert call(workspace, tool, **given).is_error, (tool, given)


def test_resources_are_pages_and_chunks(workspace: Workspace) -> None:
    async def read(client: Client) -> tuple[list[str], str, str]:
        listed = await client.list_resources()
        uris = [str(one.uri) for one in listed.resources]
        page = (await client.read_resource(uris[0])).contents[0]
        found = await client.call_tool("search", {"query": "units and places"})
        identity = found.structured_content["hits"][0]["chunk"]
        chunk = (await client.read_resource(f"wrac://chunk/{identity}")).contents[0]
        assert isinstance(page, TextResourceContents)
        assert isinstance(chunk, TextResourceContents)
        return uris, page.text, chunk.text

    uris, page, chunk = talk(create(workspace), read)
    assert len(uris) == len(workspace.pages())
    assert uris[0].startswith(PAGE)
    assert page.startswith("# ")
    assert "<" in chunk


def test_a_resource_that_is_not_there_is_told(workspace: Workspace) -> None:
    async def read(client: Client) -> None:
        with pytest.raises(MCPError, match=re.escape("no page is called ../../etc/passwd")):
            await client.read_resource(PAGE + "..%2F..%2Fetc%2Fpasswd")

    talk(create(workspace), read)


def test_by_pipes(place: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "wrac.cli.main", "mcp", "-w", str(place)])
    found = talk(server, lambda client: client.call_tool("search", {"query": "What is a unit?"}))
    assert found.structured_content["hits"]


def test_a_port_that_is_taken_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["mcp", "--workspace", str(place), "--http", str(port)]) == 2
    assert capsys.readouterr().err == f"wrac: --http {port} is taken; choose another\n"


def test_over_http_on_this_machine_alone(place: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "wrac.cli.main", "mcp", "-w", str(place), "--http", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            _wait(port, process)
            url = f"http://127.0.0.1:{port}/mcp"
            found = talk(url, lambda client: client.call_tool("search", {"query": "What is a unit?"}))
            assert found.structured_content["hits"]
            assert _status(port, "evil.example") in (403, 421)
        finally:
            process.terminate()
            process.wait(10)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        assert process.poll() is None
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not start")


def _status(port: int, host: str) -> int:
    """What a page whose name was bound anew to this machine would be answered."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    headers = {"Host": host, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("POST", "/mcp", body, headers)
        with connection.getresponse() as response:
            response.read()
            return response.status
