"""The rules of a style sheet that something on the site can meet; tinycss2 reads the sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import tinycss2
from tinycss2.ast import Node

GROUPS = {"media", "supports", "layer", "container"}  # at-rules that hold rules


def used_rules(sheet: str, known: set[str]) -> str:
    """A style sheet without selectors that need a class or an id which is not among the known.

    Comments go, but for licenses.
    """
    return _kept(tinycss2.parse_stylesheet(sheet), known)


def _kept(rules: Iterable[Node], known: set[str]) -> str:
    text, space = "", ""
    for rule in rules:
        if rule.type == "whitespace":
            space += rule.value
            continue
        if rule.type == "comment":
            written = f"/*{rule.value}*/" if rule.value.startswith("!") else ""
        elif rule.type == "qualified-rule":
            every = (_without_comments(each) for each in selectors(rule.prelude))
            used = [tinycss2.serialize(each) for each in every if names(each) <= known]
            content = tinycss2.serialize(_without_comments(rule.content))
            written = f"{','.join(used)}{{{content}}}" if used else ""
            space = space if used else ""
        elif rule.type == "at-rule" and rule.lower_at_keyword in GROUPS and rule.content:
            inner = _kept(tinycss2.parse_rule_list(rule.content), known)
            written = f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}"
        else:
            written = rule.serialize()
        if written:
            text, space = text + space + written, ""
    return text + space


def every_rule(rules: Iterable[Node]) -> Iterator[Node]:
    """The rules with selectors, those in groups too."""
    for rule in rules:
        if rule.type == "qualified-rule":
            yield rule
        elif rule.type == "at-rule" and rule.lower_at_keyword in GROUPS and rule.content:
            yield from every_rule(tinycss2.parse_rule_list(rule.content))


def selectors(prelude: list[Node]) -> Iterator[list[Node]]:
    """The selectors that commas part."""
    one: list[Node] = []
    for node in prelude:
        if node == ",":
            yield one
            one = []
        else:
            one.append(node)
    yield one


def names(selector: list[Node]) -> set[str]:
    """The words of the classes and ids that a selector needs; those in :not(...) may be missing."""
    found = [node.value for node in selector if node.type == "hash"]
    for dot, node in pairwise(selector):
        if dot == "." and node.type == "ident":
            found.append(node.value)
    return set(re.findall(r"[\w-]+", " ".join(found)))


def _without_comments(nodes: list[Node]) -> list[Node]:
    return [node for node in nodes if node.type != "comment"]
