"""X17: no test reaches the network, nor do the processes that it starts; see ``guard/sitecustomize.py``."""

import os
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("tests", deadline=None)  # a busy machine takes the time it takes
hypothesis.settings.load_profile("tests")

GUARD = Path(__file__).parent / "guard"
sys.path.insert(0, str(GUARD))

import sitecustomize  # noqa: E402

sitecustomize.install()  # another one may have the name, where Python itself is started with one


def pytest_configure():
    descriptor, path = tempfile.mkstemp(prefix="forest-tests-network-")
    os.close(descriptor)
    os.environ[sitecustomize.RECORD] = path
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(GUARD) + (os.pathsep + before if before else "")


def pytest_unconfigure():
    Path(os.environ.pop(sitecustomize.RECORD)).unlink(missing_ok=True)


def take_violations():
    record = Path(os.environ[sitecustomize.RECORD])
    if not record.exists() or not record.stat().st_size:
        return ""
    found = record.read_text(encoding="utf-8")
    record.write_text("")
    return found


@pytest.fixture(autouse=True)
def _no_network():
    """Fails the test in which somebody tried."""
    yield
    if found := take_violations():
        pytest.fail(f"this reached for the network:\n{found}", pytrace=False)


def pytest_sessionfinish(session):
    """What was tried when no test was running any more."""
    if found := take_violations():
        print(f"\nAfter the last test, this reached for the network:\n{found}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
