import os
import shutil
import subprocess
from contextlib import closing

import pytest

from scrapy_forest.store import open_store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "forest.db"


@pytest.fixture
def store(path):
    with closing(open_store(path)) as store:
        yield store


@pytest.fixture
def read_only(tmp_path):
    """Makes a directory that nobody can write to any more, not even root."""
    mounted = []

    def close(directory):
        command = [shutil.which("mount") or "mount", "--bind", "-o", "ro", str(directory), str(directory)]
        if os.name != "posix" or os.geteuid() != 0:
            directory.chmod(0o500)
        elif subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("root may write everywhere, and cannot mount here")
        else:
            mounted.append(directory)

    yield close
    for directory in mounted:
        subprocess.run([shutil.which("umount") or "umount", str(directory)], check=True)
    tmp_path.chmod(0o700)
