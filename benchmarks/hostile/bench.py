"""Processes that take hostile inputs, as the one that measures them sees them.

A process gets the names of inputs, a line each, and answers in JSON.  Ours goes on from input to input as a crawl does;
it says when it has made the bytes, so that they do not count, and is watched from here: what it and its workers take
at most beyond what they had then.  If it dies or does not answer, that is told of the input, and the next one gets a
new process.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

from processes import KEPT, PEAK, cpu_seconds, family_of, megabytes, reset_peak

COMMAND: Final = Path(__file__).parent.parent / "gauntlet.py"
PATIENCE: Final = 180.0  # seconds without an answer, after which a process is given up
LOOK: Final = 0.02  # seconds between two looks at its memory
DIED: Final = "died"
HUNG: Final = "hung"


@dataclass(frozen=True, slots=True)
class Measured:
    """What became of an input, and what it took."""

    word: str
    fault: str | None  # what is wrong with that
    seconds: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0
    stall: float = 0.0  # seconds that the event loop was late at most
    busy: float = 0.0  # CPU seconds that its thread took meanwhile


class Child:
    """A process that is asked one thing at a time."""

    def __init__(self, *arguments: str, is_silent: bool = False) -> None:
        options = [f"-W{option}" for option in sys.warnoptions]
        command = [sys.executable, *options, str(COMMAND), *arguments]
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if is_silent else None,
        )
        self.pid = self._process.pid
        self._read = b""

    def say(self, text: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{text}\n".encode())
        self._process.stdin.flush()

    def hear(self, seconds: float) -> str | None:
        """The next line, or None after that time; raises EOFError if there will be none."""
        assert self._process.stdout
        while b"\n" not in self._read:
            if not select.select([self._process.stdout], [], [], seconds)[0]:
                return None
            part = os.read(self._process.stdout.fileno(), 65_536)
            if not part:
                raise EOFError
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        return line.decode()

    def end(self, *, kill: bool = False) -> None:
        assert self._process.stdin
        assert self._process.stdout
        if kill:
            self._process.kill()
        try:
            self._process.stdin.close()
            self._process.wait(PATIENCE / 10)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


class Memory:
    """How much more than at the start some processes take at most."""

    def __init__(self, pid: int, fresh: float) -> None:
        self._pid = pid
        self._fresh = fresh  # of a worker that starts only now
        family = list(family_of(pid))
        for each in family:
            reset_peak(each)
        self._base = {each: megabytes(each, KEPT) for each in family}
        self._peak = dict(self._base)

    def look(self) -> None:
        for pid in family_of(self._pid):
            self._peak[pid] = max(self._peak.get(pid, 0.0), megabytes(pid, PEAK))

    @property
    def grown(self) -> float:
        """Megabytes, of all of them together."""
        return sum(max(0.0, peak - self._base.get(pid, self._fresh)) for pid, peak in self._peak.items())


class Ours:
    """Our own crawl in a process."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._fresh = 0.0

    def take(self, name: str, *, afresh: bool = False) -> Measured:
        """Hand an input over and watch; ``afresh`` in a new process, which has kept no memory of earlier inputs."""
        if afresh:
            self.close()
        child = self._child = self._child or self._start()
        try:
            child.say(json.dumps(name))
            if child.hear(PATIENCE) is None:
                return self._give_up(HUNG)
            memory, cpu = Memory(child.pid, self._fresh), _family_cpu(child.pid)
            child.say("go")
            answer, end = None, monotonic() + PATIENCE
            while answer is None and monotonic() < end:
                memory.look()
                answer = child.hear(LOOK)
            memory.look()
        except (EOFError, BrokenPipeError):
            return self._give_up(DIED)
        if answer is None:
            return self._give_up(HUNG)
        told = json.loads(answer)
        return Measured(**told, cpu=_family_cpu(child.pid) - cpu, megabytes=memory.grown)

    def close(self) -> None:
        if self._child:
            self._child.end()
            self._child = None

    def _start(self) -> Child:
        child = Child("--crawl")
        if child.hear(PATIENCE) is None:
            raise RuntimeError("the crawl does not start")
        self._fresh = min((megabytes(pid) for pid in list(family_of(child.pid))[1:]), default=0.0)
        return child

    def _give_up(self, word: str) -> Measured:
        if self._child:
            self._child.end(kill=True)
            self._child = None
        return Measured(word, f"the process {word}", seconds=PATIENCE if word == HUNG else 0.0)


class Peer:
    """Another extractor in a process, which forks one for each input."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._child: Child | None = None

    def take(self, name: str) -> dict[str, Any]:
        child = self._child = self._child or self._start()
        child.say(json.dumps(name))
        answer = child.hear(PATIENCE)
        if answer is None:
            raise RuntimeError(f"{self._name} does not answer")
        return dict(json.loads(answer))

    def close(self) -> None:
        if self._child:
            self._child.end()

    def _start(self) -> Child:
        child = Child("--peer", self._name, is_silent=True)  # they print and warn as they like
        if child.hear(PATIENCE) is None:
            raise RuntimeError(f"{self._name} does not start")
        return child


def _family_cpu(pid: int) -> float:
    return sum(map(cpu_seconds, family_of(pid)))
