"""X17: the guard around the whole test suite works."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
OUTSIDE = {
    "a connection": "socket.create_connection(('192.0.2.1', 80), 1)",
    "IPv6": "socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
    "an error code": "print(socket.socket().connect_ex(('192.0.2.1', 80)))",
    "UDP": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 53))",
    "a name": "socket.getaddrinfo('www.iana.org', 80)",
    "an old look-up": "socket.gethostbyname('www.iana.org')",
    "a private address": "socket.create_connection(('10.0.0.1', 80), 1)",
    "urllib": "urllib.request.urlopen('http://www.iana.org/')",
    "asyncio": "asyncio.run(asyncio.wait_for(asyncio.open_connection('192.0.2.1', 80), 5))",
}


def run(code, record):
    environment = os.environ | {"FOREST_TESTS_NETWORK": str(record)}
    code = f"import asyncio, socket, urllib.request\n{code}"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, timeout=60)
    return done.returncode, record.read_text() if record.exists() else ""


@pytest.mark.parametrize("code", OUTSIDE.values(), ids=OUTSIDE)
def test_x17_nothing_leaves_this_machine(tmp_path, code):
    code, record = run(code, tmp_path / "record")
    assert code == 1
    assert record.startswith("socket.")


def test_x17_what_stays_here_may_be_done(tmp_path):
    inside = """
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
    socket.create_connection(("localhost", server.getsockname()[1])).close()
for name in ("news.example", "nowhere.invalid", "a.test."):
    try:
        socket.getaddrinfo(name, 80)
    except socket.gaierror:
        pass
    else:
        raise SystemExit(f"{name} was looked up")
"""
    assert run(inside, tmp_path / "record") == (0, "")


def test_x17_this_process_is_guarded():
    with pytest.raises(socket.gaierror, match="the tests do not look up"):
        socket.getaddrinfo("news.example", 80)


def test_x17_a_test_that_tries_fails(tmp_path):
    """Even one that swallows the error, in itself or in a process of its own."""
    shutil.copy(HERE / "conftest.py", tmp_path)
    shutil.copytree(HERE / "guard", tmp_path / "guard")
    (tmp_path / "test_it.py").write_text(
        """
import contextlib, socket, subprocess, sys
CODE = "import socket; socket.socket().connect_ex(('192.0.2.1', 80))"

def test_here():
    with contextlib.suppress(OSError):
        exec(CODE)

def test_in_a_process():
    subprocess.run([sys.executable, "-c", CODE], stderr=subprocess.DEVNULL)

def test_fine():
    pass
"""
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 1
    assert "3 passed, 2 errors" in done.stdout
    assert "ERROR test_it.py::test_in_a_process - Failed: this reached for the network" in done.stdout
