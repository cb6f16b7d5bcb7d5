"""Rules about the source itself."""

import ast
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
FORBIDDEN_NAMES = frozenset(["eval", "exec", "os.system", "os.popen", "yaml.load"])
FORBIDDEN_MODULES = frozenset(["cPickle", "dill", "marshal", "pickle", "shelve"])

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
def test_nothing_dangerous_is_used(module):
    assert not [name for name in imported(module) if name.partition(".")[0] in FORBIDDEN_MODULES]
    nodes = list(ast.walk(tree_of(module)))
    names = [ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)]
    assert not FORBIDDEN_NAMES.intersection(names)
    shells = [node for node in nodes if isinstance(node, ast.keyword) and node.arg == "shell"]
    assert not [ast.unparse(node) for node in shells if ast.unparse(node.value) != "False"]
