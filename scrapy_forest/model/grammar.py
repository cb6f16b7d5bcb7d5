"""Which XPath a wrapper may use, checked before any of it is evaluated.

Wrappers come from stores that others may write to, and are edited by people.  XPath can take hours, and what lxml adds
to it (``re:test``) longer than that.  So only what is listed here is allowed: paths, predicates that compare and count,
and some functions.  There are no variables, no prefixes, no ``id()`` or ``document()``, no axes ``preceding`` and
``following``, and a predicate looks around only where it is not inside of another one that does.

Even of this, libxml2 takes a minute for ``//div//p`` on 20,000 elements, as it joins sets of nodes in quadratic time.
So a path is cut into steps, which ``selection`` takes one by one.  What cannot be cut, or looks around from each node,
is not ``is_quick``: that is for a worker process, which is ended when it takes too long.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, NoReturn, TypeVar

from scrapy_forest.errors import InvalidWrapper
from scrapy_forest.model.xpath_tokens import LEVELS, Token, read_tokens, refuse

MAX_LENGTH: Final = 4096  # characters of an expression
MAX_DEPTH: Final = 10  # of brackets; ours take five
MAX_STEPS: Final = 100  # of an expression; real pages are 50 levels deep at most
MAX_TESTS: Final = 40  # paths in predicates; ours have 17 at most, and each takes up to 20 ms on 20,000 elements
MAX_FAR: Final = 8  # of these, paths that look around

NODE_TESTS: Final = frozenset(["node", "text"])
NEAR_AXES: Final = frozenset(["attribute", "child", "self"])
FAR_AXES: Final[Set[str]] = frozenset(  # the parent's predicates would be tested for each of its children
    "ancestor ancestor-or-self descendant descendant-or-self following-sibling parent preceding-sibling".split()
)

# Of nodes, "texts" are attributes and pieces of text; the text of elements is that of all below them.
Type = Literal["elements", "texts", "string", "number", "boolean"]
NODES: Final = frozenset(["elements", "texts"])


class Function(NamedTuple):
    """What a function takes and gives."""

    least: int  # arguments
    most: int
    gives: Type
    reads: bool = True  # whether it takes the text of nodes, or that of the node it is called for


FUNCTIONS: Final = {
    "boolean": Function(1, 1, "boolean", reads=False),
    "concat": Function(2, 100, "string"),
    "contains": Function(2, 2, "boolean"),
    "count": Function(1, 1, "number", reads=False),
    "false": Function(0, 0, "boolean", reads=False),
    "last": Function(0, 0, "number", reads=False),
    "local-name": Function(0, 0, "string", reads=False),
    "name": Function(0, 0, "string", reads=False),
    "normalize-space": Function(0, 1, "string"),
    "not": Function(1, 1, "boolean", reads=False),
    "number": Function(0, 1, "number"),
    "position": Function(0, 0, "number", reads=False),
    "starts-with": Function(2, 2, "boolean"),
    "string": Function(0, 1, "string"),
    "string-length": Function(0, 1, "number"),
    "substring": Function(2, 3, "string"),
    "substring-after": Function(2, 2, "string"),
    "substring-before": Function(2, 2, "string"),
    "translate": Function(3, 3, "string"),
    "true": Function(0, 0, "boolean", reads=False),
}
# They take the product of two lengths: translate that of its first two texts, the others of the first and what they
# look for in it, which may be short (four in a megabyte take half a second), but nothing that a page makes up.
SEARCHES: Final = frozenset(["contains", "substring-after", "substring-before"])
MAX_SOUGHT: Final = 500  # characters of all that is looked for

_COMPARE: Final = 2  # the level from which on operators take values
_CALCULATE: Final = 4

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """How to evaluate an expression: branches of a union, each a chain that goes on from the nodes found before."""

    branches: tuple[tuple[str, ...], ...]
    is_quick: bool  # whether its time grows no faster than the page
    steps: int
    tests: int  # at each element, at most
    sought: int  # characters that are looked for in texts


class _Step(NamedTuple):
    text: str
    body: str  # without the axis
    axis: str
    test: str
    is_positional: bool


def read_xpath(expression: str) -> Plan:
    """Check an expression that selects elements; raises :class:`InvalidWrapper`, which says what is wrong and where.

    >>> read_xpath("//main/p[2] | .//aside").branches
    (('/descendant::main', 'p[2]'), ('descendant::aside',))
    """
    if len(expression) > MAX_LENGTH:
        raise InvalidWrapper(f"XPath of {len(expression):,} characters; {MAX_LENGTH:,} are allowed")
    return _Reader(expression).plan()


class _Reader:
    """Reads an expression once, from left to right."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._tokens = list(read_tokens(expression))
        self._index = 0
        self._depth = self._steps = self._tests = self._far = self._sought = 0
        self._can_be_cut = True
        self._is_near = True
        self._is_positional = False  # whether the predicate in work counts positions
        self._is_far = False  # whether it is one of a step that looks around

    def plan(self) -> Plan:
        branches = self._union()
        if self._next.kind != "end":
            self._fail("the expression should end here")
        if not self._can_be_cut:
            branches = ((self._expression,),)
        is_quick = self._can_be_cut and self._is_near and self._sought <= MAX_SOUGHT
        return Plan(branches, is_quick, self._steps, self._tests, self._sought)

    # What comes next.

    @property
    def _next(self) -> Token:
        return self._tokens[self._index]

    def _follows(self, text: str) -> bool:
        return self._next.kind != "end" and self._tokens[self._index + 1].text == text

    def _accept(self, *texts: str) -> str | None:
        if self._next.kind != "symbol" or self._next.text not in texts:
            return None
        self._index += 1
        return self._tokens[self._index - 1].text

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            self._fail(f"{text!r} is missing")

    def _fail(self, problem: str) -> NoReturn:
        refuse(self._expression, self._next.start, problem)

    def _since(self, start: int) -> str:
        return self._expression[start : self._tokens[self._index - 1].end]

    def _inside(self, read: Callable[[], T]) -> T:
        """What is in brackets."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"there are more than {MAX_DEPTH} levels of brackets")
        found = read()
        self._depth -= 1
        return found

    # The paths that select.

    def _union(self) -> tuple[tuple[str, ...], ...]:
        branches = [self._branch()]
        while self._accept("|"):
            branches.append(self._branch())
        return tuple(branches)

    def _branch(self) -> tuple[str, ...]:
        is_group = self._next.text == "("
        chain = [self._group()] if is_group else []
        separator = self._accept("/", "//") or ("" if is_group else ".")
        while separator:
            if chain and chain[-1] == "..":  # may have led to the document, which is no element
                self._can_be_cut = False
            chain.append(self._link(separator, "/" if separator != "." and not chain else ""))
            separator = self._accept("/", "//") or ""
        return tuple(chain[1:] if chain[0] == "." and len(chain) > 1 else chain)

    def _group(self) -> str:
        """Paths in parentheses, and perhaps which of their nodes: ``(//p)[1]``."""
        self._expect("(")
        branches = self._inside(self._union)
        self._expect(")")
        if len(branches) > 1 or len(branches[0]) > 1:
            self._can_be_cut = False
        start = self._next.start
        is_one = self._next.text != "["
        self._predicates()
        return f"({branches[0][0]}){'' if is_one else self._since(start)}"

    def _link(self, separator: str, root: str) -> str:
        """A step as an expression of its own, which finds no node twice from nodes that are not inside each other."""
        is_deep = separator == "//"
        step = self._step(is_far=self._is_at_axis(FAR_AXES - {"descendant"}))
        if step.axis == "attribute" or step.test == "text":
            self._fail("only elements can be selected")
        is_deep = is_deep or step.axis == "descendant"
        is_plain = step.axis in (("child",) if separator == "//" else ("child", "self", "descendant", ".."))
        if not is_plain or step.test == "node" or (step.axis == "descendant" and step.is_positional):
            self._can_be_cut = False
        if not is_deep:
            return root + step.text
        # Not the long form that // stands for, for which libxml2 needs quadratic time; but that is where positions are.
        long_form = f"{'' if root else '.'}//{step.body}"
        return long_form if step.is_positional else f"{root}descendant::{step.body}"

    # Steps of all paths.

    def _step(self, *, is_far: bool) -> _Step:
        self._steps += 1
        if self._steps > MAX_STEPS:
            self._fail(f"there are more than {MAX_STEPS} steps")
        start = self._next.start
        if short := self._accept(".", ".."):
            return _Step(short, short, "self" if short == "." else "..", "*", is_positional=False)
        axis = self._axis()
        body = self._next.start
        test = self._node_test()
        is_positional = self._predicates(is_far=is_far)
        if axis == "attribute" and self._next.text in ("/", "//"):
            self._fail("nothing comes after an attribute")
        return _Step(self._since(start), self._since(body), axis, test, is_positional)

    def _is_at_axis(self, names: Set[str]) -> bool:
        return self._next.text in names and self._follows("::")

    def _axis(self) -> str:
        if self._accept("@"):
            return "attribute"
        if not self._follows("::"):
            return "child"
        if not self._is_at_axis(NEAR_AXES | FAR_AXES):
            self._fail("this axis is not allowed")
        self._index += 2
        return self._tokens[self._index - 2].text

    def _node_test(self) -> str:
        if self._accept("*"):
            return "*"
        if self._next.kind != "name" or self._next.is_operator:
            self._fail("a step is missing")
        if self._follows(":"):
            self._fail("prefixes are not allowed")
        name, is_call = self._next.text, self._follows("(")
        if is_call and name not in NODE_TESTS:
            self._fail("a step is no function")
        self._index += 1
        if is_call:
            self._expect("(")
            self._expect(")")
        return name if is_call else "*"

    def _predicates(self, *, is_far: bool = False) -> bool:
        """Read all that come; whether some count positions."""
        found = False
        outside = self._is_positional, self._is_far
        self._is_far = self._is_far or is_far
        while self._accept("["):
            self._is_positional = False
            gives = self._inside(self._value)
            found = found or self._is_positional or gives == "number"
            self._expect("]")
        self._is_positional, self._is_far = outside
        return found

    # What predicates hold.

    def _value(self, level: int = 0) -> Type:
        if level == len(LEVELS):
            return self._operand()
        gives = self._value(level + 1)
        while self._next.is_operator and self._next.text in LEVELS[level]:
            self._index += 1
            other = self._value(level + 1)
            if level >= _COMPARE:
                self._read_text(gives, other)
                self._is_near = self._is_near and not {gives, other} <= NODES  # each node is compared with each
            gives = "number" if level >= _CALCULATE else "boolean"
        return gives

    def _read_text(self, *types: Type) -> None:
        self._is_near = self._is_near and "elements" not in types

    def _operand(self) -> Type:
        if self._next.text == "-":
            return self._negative()
        if self._next.kind in ("literal", "number"):
            self._index += 1
            return "string" if self._tokens[self._index - 1].kind == "literal" else "number"
        if self._next.kind == "name" and self._follows("(") and self._next.text not in NODE_TESTS:
            return self._call()
        if self._accept("("):
            gives = self._inside(self._value)
            self._expect(")")
            return gives
        return self._paths()

    def _negative(self) -> Type:
        while self._accept("-"):
            pass
        self._read_text(self._operand())
        return "number"

    def _call(self) -> Type:
        name = self._next.text
        function = FUNCTIONS.get(name)
        if function is None:
            self._fail(f"the function {name[:20]!r} is not allowed")
        self._index += 1
        types = self._inside(lambda: self._arguments(name))
        if not function.least <= len(types) <= function.most:
            self._fail(f"{name} takes another number of arguments")
        if name == "count" and types[0] not in NODES:
            self._fail("only nodes are counted")
        self._is_positional = self._is_positional or name in ("position", "last")
        if function.reads:
            self._read_text(*(types or ["elements"]))
        self._is_near = self._is_near and name != "translate"
        return function.gives

    def _arguments(self, function: str) -> list[Type]:
        self._expect("(")
        types: list[Type] = []
        while not self._accept(")"):
            if types:
                self._expect(",")
            start, tests = self._next.start, self._tests
            types.append(self._value())
            if function in SEARCHES and len(types) == 2:
                self._sought += len(self._since(start))
                self._is_near = self._is_near and self._tests == tests
            elif function in SEARCHES and len(types) == 1:  # a text made of many would be as long as all of them
                self._is_near = self._is_near and self._tests - tests <= 1
        return types

    def _paths(self) -> Type:
        gives = self._path()
        while self._accept("|"):
            self._is_near = False
            gives = "elements" if self._path() == "elements" else gives
        return gives

    def _path(self) -> Type:
        """A path from the node that is tested."""
        self._tests += 1
        if self._tests > MAX_TESTS:
            self._fail(f"there are more than {MAX_TESTS} paths in predicates")
        if self._next.text in ("/", "//"):
            self._fail("a path in a predicate starts at the node")
        step = self._looking_step()
        while separator := self._accept("/", "//"):
            self._is_near = self._is_near and step.text == "."
            step = self._looking_step(separator == "//")
        return "texts" if step.axis == "attribute" or step.test == "text" else "elements"

    def _looking_step(self, is_deep: bool = False) -> _Step:
        is_far = is_deep or self._is_at_axis(FAR_AXES)
        if is_far:
            self._is_near = False
            self._far += 1
            if self._is_far or self._far > MAX_FAR:
                self._fail("this looks around from too many nodes")
        return self._step(is_far=is_far)
