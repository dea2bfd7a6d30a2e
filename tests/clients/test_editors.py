"""Editors, as docs/editors.md tells how to set them up: what they run, and what they make of its output."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from recipes import BUG, CLEAN, FOUND, ROOT, SCRIPTS, block, run, with_scripts

EDITORS = "docs/editors.md"
CODE, MESSAGE = FOUND.split(" ", 1)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file as it was saved; what an editor hands over is newer."""
    found = tmp_path / "my train.py"
    found.write_text(CLEAN, "utf-8")
    return found


def test_visual_studio_code(file: Path) -> None:
    settings = json.loads(block(EDITORS, "json", "flake8.args"))
    assert settings["flake8.importStrategy"] == "fromEnvironment"
    file.write_text(BUG, "utf-8")
    # the extension's own option first, the path last
    form = "--format='%(row)d,%(col)d,%(code).1s,%(code)s:%(text)s'"
    status, output = run(["python", "-m", "flake8", form, *settings["flake8.args"], str(file)], file.parent)
    assert status == 1
    assert output == f"'4,1,T,{CODE}:{MESSAGE}'\n"
    # it asks for the severity of a code, and then of ever shorter beginnings of it
    known = settings["flake8.severity"]
    beginnings = [CODE[:length] for length in range(len(CODE), 0, -1)]
    assert next(known[one] for one in beginnings if one in known) == "Warning"


def test_neovim(file: Path) -> None:
    linter = block(EDITORS, "lua", "lint.linters.torchdevlint")
    assert 'parser = require("lint.parser").for_sarif()' in linter
    assert "stdin = true" in linter
    [command] = re.findall(r'cmd = "(\w+)"', linter)
    [written] = re.findall(r"args = \{(.*?)\n  \}", linter, re.DOTALL)
    name = "function() return vim.api.nvim_buf_get_name(0) end"
    assert name in written
    arguments = json.loads(f"[{written.replace(name, json.dumps(str(file))).rstrip().rstrip(',')}]")
    status, output = run([command, *arguments], file.parent, BUG)
    assert status == 0, "another status than 0 is a failure of the linter"
    [result] = json.loads(output)["runs"][0]["results"]
    assert (result["ruleId"], result["level"], result["message"]["text"]) == (CODE, "error", MESSAGE)
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endLine"], region["endColumn"]) == (4, 1, 4, 53)
    assert json.loads(run([command, *arguments], file.parent, CLEAN)[1])["runs"][0]["results"] == []
    # a buffer that was never saved has no name
    nameless = ["" if argument == str(file) else argument for argument in arguments]
    [result] = json.loads(run([command, *nameless], file.parent, BUG)[1])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "stdin"


def test_ale(file: Path) -> None:
    settings = block(EDITORS, "vim", "ale_linters")
    assert "'python': ['flake8']" in settings
    [options] = re.findall(r"ale_python_flake8_options = '(.*)'", settings)
    command = ["flake8", *shlex.split(options), "--stdin-display-name", str(file), "-"]
    status, output = run(command, file.parent, BUG)
    assert status == 1
    # the pattern by which ALE reads what flake8 prints
    [line] = output.splitlines()
    assert re.fullmatch(r"[a-zA-Z]?:?[^:]+:(\d+):?(\d+)?: ([a-zA-Z0-9]+) (.*)", line).groups() == (
        "4", "1", CODE, MESSAGE,
    )  # type: ignore[union-attr] # a line that does not fit is a failure, too  # fmt: skip


def test_make(file: Path) -> None:
    settings = block(EDITORS, "vim", "makeprg")
    [program] = re.findall(r"makeprg=(.*)", settings)
    [form] = re.findall(r"errorformat=(.*)", settings)
    file.write_text(BUG, "utf-8")
    command = [part.replace("%", file.name) for part in program.replace("\\ ", " ").split()]
    status, output = run(command, file.parent)
    assert status == 1
    for item, pattern in {"%f": "(.+)", "%l": r"(\d+)", "%c": r"(\d+)", "%m": "(.+)", "\\ ": " "}.items():
        form = form.replace(item, pattern)
    assert re.findall(form, output) == [(file.name, "4", "1", FOUND)]


def test_emacs(file: Path) -> None:
    checker = block(EDITORS, "elisp", "flycheck-define-checker")
    [written] = re.findall(r":command \((.*)\)", checker)
    command = [str(file) if part == "source-original" else json.loads(part) for part in written.split()]
    assert ":standard-input t" in checker
    status, output = run(command, file.parent, BUG)
    assert status == 1
    [pattern] = re.findall(r"\(\(warning line-start (.*) line-end\)\)", checker)
    for item, one in {
        "(file-name)": "(.+)", "(id \"TDL\" (= 3 digit))": r"(TDL\d{3})", "(message)": "(.+)", "line": r"(\d+)",
        "column": r"(\d+)",
    }.items():  # fmt: skip
        pattern = pattern.replace(item, one)
    pattern = "".join(part if quoted else part.replace(" ", "") for quoted, part in parts(pattern))
    assert re.findall(f"^{pattern}$", output, re.MULTILINE) == [(str(file), "4", "1", CODE, MESSAGE)]


def parts(pattern: str) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a pattern of Emacs, and whether they stand in quotes."""
    for number, part in enumerate(pattern.split('"')):
        yield bool(number % 2), part


def test_pycharm(file: Path) -> None:
    page = (ROOT / EDITORS).read_text("utf-8")
    fields = dict(re.findall(r"^\| (\w[\w ()]+) \| `(.*)` \|$", page, re.MULTILINE))
    values = {"$PyInterpreterDirectory$": str(SCRIPTS), "$ProjectFileDir$": str(file.parent), "$FilePath$": str(file)}
    file.write_text(BUG, "utf-8")

    def filled(text: str) -> str:
        for name, value in values.items():
            text = text.replace(name, value)
        assert "$" not in text
        return text

    program, folder = filled(fields["Program"]), Path(filled(fields["Working directory"]))
    arguments = [filled(part) for part in fields["Arguments"].split()]
    status, output = run([program, *arguments], folder)
    assert status == 1
    pattern = fields["Output filters (advanced options)"]
    for item, one in {"$FILE_PATH$": "(.+)", "$LINE$": r"(\d+)", "$COLUMN$": r"(\d+)"}.items():
        pattern = pattern.replace(item, one)
    assert re.findall(pattern, output) == [(str(file), "4", "1")]


# a language server


class LanguageServer:
    """A language server on a pipe: messages out, and those that come back by a thread of its own."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [SCRIPTS / "pylsp"],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=with_scripts(),
        )
        self._incoming: Queue[dict[str, Any]] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while header := self._process.stdout.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                header = self._process.stdout.readline()
            self._incoming.put(json.loads(self._process.stdout.read(length)))

    def send(self, method: str, params: dict[str, Any], **identity: int) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **identity}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.send(method, params, id=1)
        while (message := self._incoming.get(timeout=60)).get("id") != 1:
            pass
        return message

    def diagnostics(self) -> list[dict[str, Any]]:
        """Return what is published next for the document."""
        while (message := self._incoming.get(timeout=60)).get("method") != "textDocument/publishDiagnostics":
            pass
        found: list[dict[str, Any]] = message["params"]["diagnostics"]
        return found

    def close(self) -> None:
        self.request("shutdown", {})
        self.send("exit", {})
        self._process.wait(timeout=60)
        self._reader.join(timeout=60)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LanguageServer]:
    running = LanguageServer(tmp_path)
    yield running
    running.close()


def test_language_server(tmp_path: Path, server: LanguageServer) -> None:
    others = ("autopep8", "mccabe", "pycodestyle", "pyflakes", "yapf")
    plugins: dict[str, Any] = {name: {"enabled": False} for name in others}
    plugins |= json.loads(block(EDITORS, "json", "pylsp"))["pylsp"]["plugins"]
    server.request("initialize", {"processId": os.getpid(), "rootUri": tmp_path.as_uri(), "capabilities": {}})
    server.send("initialized", {})
    server.send("workspace/didChangeConfiguration", {"settings": {"pylsp": {"plugins": plugins}}})

    # the file was never saved: what counts is what the editor holds
    document = {"uri": (tmp_path / "train.py").as_uri(), "version": 1}

    def becomes(text: str) -> list[dict[str, Any]]:
        document["version"] = int(document["version"]) + 1
        server.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return server.diagnostics()

    server.send("textDocument/didOpen", {"textDocument": {**document, "languageId": "python", "text": CLEAN}})
    assert server.diagnostics() == []
    [bug] = becomes(BUG)
    assert (bug["code"], bug["source"]) == (CODE, "flake8")
    assert MESSAGE in bug["message"]
    assert bug["range"]["start"] == {"line": 3, "character": 0}
    assert bug["severity"] == 2  # a warning
    # a line above moves it down, and mending it takes it away
    [moved] = becomes(f"\n{BUG}")
    assert moved["range"]["start"] == {"line": 4, "character": 0}
    assert becomes(CLEAN) == []
