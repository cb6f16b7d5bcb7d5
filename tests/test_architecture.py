"""Rules about the source itself."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scrapy_forest

PACKAGE = Path(scrapy_forest.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py"))

CORE = ("model", "methods", "induction", "evaluation", "store", "workers", "crawl")  # each may import those before it
LAYERS = ("errors.py", *CORE)
CORE_MODULES = [module for module in MODULES if module.parts[1] in LAYERS]
SCRAPY_SIDE = {
    module.parts[1].removesuffix(".py") for module in MODULES if module.parts[1] not in ("__init__.py", *LAYERS)
}
FORBIDDEN_NAMES = frozenset(["__import__", "compile", "eval", "exec", "os.popen", "os.system", "yaml.load"])
FORBIDDEN_MODULES = frozenset(
    "cPickle cloudpickle code dill joblib jsonpickle marshal pickle runpy shelve yaml".split()
)
# Where something may be used that must never see what comes from the web, or is written by others.
ONLY_IN = {
    "zlib.decompress": {"crawl/buffer.py"},  # what it has compressed itself; all else with a limit
    "gzip": {"evaluation/dataset.py"},  # data sets on the user's own disk
    "load_object": {"addon.py", "configuration.py", "network/handlers.py"},  # of settings
    "import_module": {"__init__.py", "workers/process.py"},  # of names in our own code
    "subprocess": {"workers/pool.py"},
    **{name: set() for name in "brotli brotlicffi bz2 ctypes lzma tarfile zipfile zstandard".split()},
}
# What may be logged by %s: words of our own, and errors, which quote what they tell about a page.
UNQUOTED = re.compile(
    r"reason|mode|told|named|\*told|problems|warning|busy|HINTS\..*|group\.name|' and '\.join\(kinds\)"
    r"|error|exception|failure|error or repr\(error\)"
)

IMPORT_WITHOUT_SCRAPY = """
import importlib, pkgutil, sys

class NoScrapy:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "scrapy":
            raise ImportError(f"{name} is not to be imported")

sys.meta_path.insert(0, NoScrapy())
try:
    import scrapy
except ImportError:
    pass
else:
    sys.exit("the finder does not work")

for name in sys.argv[1:]:
    package = importlib.import_module(f"scrapy_forest.{name}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
        print(module.name)
"""


def tree_of(module):
    return ast.parse((PACKAGE.parent / module).read_text(encoding="utf-8"))


def imported(module):
    """Names of all modules that a module imports, wherever in its code."""
    package = module.parent.parts
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            origin = ".".join([*above, *([node.module] if node.module else [])])
            yield origin
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def is_inside(name, package):
    return f"{name}.".startswith(f"{package}.")


def test_core_imports_without_scrapy():
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_WITHOUT_SCRAPY, *CORE], capture_output=True, encoding="utf-8", timeout=60
    )
    assert run.returncode == 0, run.stderr
    expected = {".".join(module.with_suffix("").parts) for module in MODULES if module.parts[1] in CORE}
    expected = {name.removesuffix(".__init__") for name in expected} - {f"scrapy_forest.{name}" for name in CORE}
    assert set(run.stdout.split()) == expected


@pytest.mark.parametrize("module", CORE_MODULES, ids=str)
def test_core_names_no_scrapy(module):
    assert not [name for name in imported(module) if is_inside(name, "scrapy")]


@pytest.mark.parametrize("module", CORE_MODULES, ids=str)
def test_imports_point_one_way(module):
    later = [f"scrapy_forest.{name}" for name in (*LAYERS[LAYERS.index(module.parts[1]) + 1 :], *SCRAPY_SIDE)]
    assert not [name for name in imported(module) if any(is_inside(name, package) for package in later)]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_x08_nothing_dangerous_is_used(module):
    assert not [name for name in imported(module) if name.partition(".")[0] in FORBIDDEN_MODULES]
    nodes = list(ast.walk(tree_of(module)))
    names = [ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)]
    assert not FORBIDDEN_NAMES.intersection(names)
    shells = [node for node in nodes if isinstance(node, ast.keyword) and node.arg == "shell"]
    assert not [ast.unparse(node) for node in shells if ast.unparse(node.value) != "False"]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_x08_what_unpacks_or_loads_is_used_where_it_is_safe(module):
    here = "/".join(module.parts[1:])
    names = {ast.unparse(node) for node in ast.walk(tree_of(module)) if isinstance(node, ast.Name | ast.Attribute)}
    names |= {name for each in imported(module) for name in (each, each.partition(".")[0], each.rpartition(".")[2])}
    assert not [name for name, places in ONLY_IN.items() if name in names and here not in places]


def test_x08_the_scan_finds_what_there_is():
    """Each place that is named does use it, so the scan is no empty one."""
    for name, places in ONLY_IN.items():
        for place in places:
            source = (PACKAGE / place).read_text(encoding="utf-8")
            assert name in source, f"{place} does not use {name}"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_s17_time_outs_do_not_ask_what_day_it_is(module):
    """A clock that is put right must not end a crawl, nor make it wait for a year."""
    names = {ast.unparse(node) for node in ast.walk(tree_of(module)) if isinstance(node, ast.Name | ast.Attribute)}
    assert not names & {"time.time", "time.time_ns", "datetime.utcnow", "datetime.today"}
    assert "time.time" not in set(imported(module))


def logged(module):
    """The calls that log, each with its message and its values."""
    for node in ast.walk(tree_of(module)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if ast.unparse(node.func.value).rpartition(".")[2] == "logger":
            yield node


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_x11_texts_of_the_web_are_quoted_in_logs(module):
    """``%r`` shows newlines and other control characters as escapes."""
    for call in logged(module):
        message = call.args[0]
        if isinstance(message, ast.Constant):
            kinds = re.findall(r"%[^a-zA-Z%]*([a-zA-Z])", message.value)
            texts = [ast.unparse(value) for kind, value in zip(kinds, call.args[1:], strict=False) if kind == "s"]
            assert not [text for text in texts if not UNQUOTED.fullmatch(text)], ast.unparse(call)
        else:
            assert UNQUOTED.fullmatch(ast.unparse(message)), ast.unparse(call)


def test_x11_names_of_stats_come_from_a_fixed_set():
    """All that is put into a name is a reason, and reasons are constants, names of errors or HTTP status numbers."""
    changing = set()
    for module in MODULES:
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in (
                "count",
                "_count",
                "inc_value",
            ):
                for part in ast.walk(node.args[0]) if node.args else ():
                    if isinstance(part, ast.FormattedValue):
                        changing.add(ast.unparse(part.value))
    assert changing <= {"name", "reason", "problem", "exception.reason", "stat"}
