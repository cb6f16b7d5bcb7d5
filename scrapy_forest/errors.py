"""What can go wrong, as a small tree.

ForestError
├── PageError            a page that cannot be read
│   ├── EmptyPage        nothing to read: no element, or no body
│   ├── PageTooBig       more bytes or elements than memory and time allow
│   ├── PageTooDeep      nested beyond what the parser follows
│   └── TagTooLarge      a tag with so many attributes that parsing it would hang
├── NotEnoughSamples     too few pages to tell template from content
├── NoCandidate          no node of the samples qualifies
├── NoArticle            a page, or a feed entry, without any article text
├── UnknownMethod        a name that no method has
├── InvalidWrapper       a wrapper from outside that does not fit the format
├── InvalidTemplate      a template's signature from outside that does not fit the format
├── StoreError           a store that cannot be opened, read or written
│   ├── StoreBusy        others hold it; trying again may help
│   ├── JobBusy          another crawl works on the same job
│   ├── StoreFull        there is no room on its disk
│   ├── StoreLost        its disk fails, or can no longer be written
│   └── StoreDamaged     its file is not what it should be
├── ExportError          lines of an earlier crawl that cannot be written to their file
├── WorkerError          a task for a worker process without an answer
│   ├── WorkerTimeout    it took longer than it may
│   ├── WorkerDied       its process ended, or never started
│   ├── TaskFailed       it raised; ``kind`` names the error
│   ├── FrameError       a message that is too large, cut off or no message
│   └── PoolClosed       nobody is there to do it any more
├── InvalidSubscriptions a list of feeds that cannot be used
├── InvalidSetting       a setting with a value that makes no sense
├── IncompleteSetup      a part of the plugin is not configured
└── DatasetError         a data set that cannot be measured on
"""

from __future__ import annotations

__all__ = [
    "DatasetError",
    "EmptyPage",
    "ExportError",
    "ForestError",
    "FrameError",
    "IncompleteSetup",
    "InvalidSetting",
    "InvalidSubscriptions",
    "InvalidTemplate",
    "InvalidWrapper",
    "JobBusy",
    "NoArticle",
    "NoCandidate",
    "NotEnoughSamples",
    "PageError",
    "PageTooBig",
    "PageTooDeep",
    "PoolClosed",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreLost",
    "TagTooLarge",
    "TaskFailed",
    "UnknownMethod",
    "WorkerDied",
    "WorkerError",
    "WorkerTimeout",
]


def printable(text: str) -> str:
    """What other people's errors say, on one line: they may quote a page, or a file that somebody has planted.

    >>> print(printable("a\\n\u202eb"))
    a\\n\\u202eb
    """
    return text if text.isprintable() else "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


class ForestError(Exception):
    """Base of all errors this package raises on purpose."""


class PageError(ForestError):
    """A page that cannot be read; ``url`` names it."""

    reason = "cannot be read"

    def __init__(self, url: str) -> None:
        super().__init__(url)  # what pickling needs to make it again in another process
        self.url = url

    def __str__(self) -> str:
        return f"{self.url!r} {self.reason}"


class EmptyPage(PageError):
    """There is no element to read, or no body."""

    reason = "has nothing to read"


class PageTooBig(PageError):
    """It has more bytes or elements than there is memory and time for."""

    reason = "is too big"


class PageTooDeep(PageError):
    """Elements are nested deeper than the parser follows."""

    reason = "is nested too deeply"


class TagTooLarge(PageError):
    """One tag has thousands of attributes, which HTML parsers handle in quadratic time."""

    reason = "has a tag with too many attributes"


class NotEnoughSamples(ForestError):
    """Induction was asked to work on fewer samples than it needs."""

    def __init__(self, have: int, need: int) -> None:
        super().__init__(have, need)
        self.have = have
        self.need = need

    def __str__(self) -> str:
        return f"induction needs {self.need} or more readable pages, got {self.have}"


class NoCandidate(ForestError):
    """No node of the samples qualifies as the article, for instance because no signifier is on any page."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self.method = method

    def __str__(self) -> str:
        return f"{self.method} found no node that could hold the article"


class NoArticle(ForestError):
    """There is no article text, neither on the page nor in the feed; ``url`` names the page."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url

    def __str__(self) -> str:
        return f"{self.url!r} has no article"


class UnknownMethod(ForestError):
    """A method was asked for by a name that none has."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name = name
        self.known = known

    def __str__(self) -> str:
        return f"no method is called {self.name!r}; there are {', '.join(self.known)}"


class InvalidWrapper(ForestError):
    """A wrapper read from outside does not fit the format."""


class InvalidTemplate(ForestError):
    """A template's signature read from outside does not fit the format."""


class StoreError(ForestError):
    """A store cannot be opened, read or written; ``path`` names it, ``problem`` says why and what to do."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"store {self.path!r} {printable(self.problem)}"


class StoreBusy(StoreError):
    """Others hold the store for longer than we wait; nothing was written, trying again may help."""


class JobBusy(StoreError):
    """Another crawl works on the same job: both would fetch and export the same entries."""

    def __init__(self, path: str, job: str) -> None:
        problem = f"is in use by another crawl of {job!r}: wait for it to end, or set FOREST_STORE to another file"
        super().__init__(path, problem)
        self.args = (path, job)  # what pickling needs to make it again
        self.job = job


class StoreFull(StoreError):
    """There is no room on the store's disk; what was written before is still there."""


class StoreLost(StoreError):
    """The store's disk fails, is gone, or has become read-only."""


class StoreDamaged(StoreError):
    """The store's file is not a database, or a damaged one."""


class ExportError(ForestError):
    """An earlier crawl was killed while it wrote to ``path``, and what it left cannot be written now either."""

    def __init__(self, path: str, lines: int, problem: str) -> None:
        super().__init__(path, lines, problem)
        self.path = path
        self.lines = lines
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.lines} lines of an earlier crawl cannot be written to {self.path!r} ({self.problem}): mend that"


class WorkerError(ForestError):
    """A task that was given to a worker process has no answer."""


class WorkerTimeout(WorkerError):
    """A task took longer than it may; its worker was killed."""

    def __init__(self, task: str, limit: float) -> None:
        super().__init__(task, limit)
        self.task = task
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.task} took longer than {self.limit:g} s"


class WorkerDied(WorkerError):
    """The worker's process ended in the middle of a task, or did not start; ``exit_code`` is None where unknown."""

    def __init__(self, task: str, exit_code: int | None) -> None:
        super().__init__(task, exit_code)
        self.task = task
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"the worker died during {self.task}, exit code {self.exit_code}"


class TaskFailed(WorkerError):
    """A task raised in its worker; ``kind`` is the name of the error's class, such as NoCandidate."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)
        self.kind = kind
        self.message = message

    def __str__(self) -> str:
        return f"{self.kind}: {printable(self.message)}"


class FrameError(WorkerError):
    """A message between the crawl and a worker is too large, cut off or no message; ``problem`` says which."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return f"not a message: {self.problem}"


class PoolClosed(WorkerError):
    """The workers were told to end before the task was done; the task is not to blame."""

    def __init__(self, task: str) -> None:
        super().__init__(task)
        self.task = task

    def __str__(self) -> str:
        return f"the workers ended before {self.task} was done"


class InvalidSubscriptions(ForestError):
    """A list of feeds has no feed, or something in it is no URL."""


class InvalidSetting(ForestError):
    """A setting has a value that makes no sense."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(name, problem)
        self.name = name
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.name} {self.problem}"


class IncompleteSetup(ForestError):
    """Parts of the plugin are not configured; ``missing`` are the settings' lines."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__(missing)
        self.missing = missing

    def __str__(self) -> str:
        lines = "".join(f"\n    {line}" for line in self.missing)
        return f"""the settings lack{lines}
Add them, or let the add-on do it: ADDONS = {{"scrapy_forest.Addon": 500}}"""


class DatasetError(ForestError):
    """A data set that is missing, empty or of another layout."""
