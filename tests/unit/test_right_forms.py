"""The values that messages suggest for fields are valid, in a file and in Python."""

from __future__ import annotations

import re
import tomllib

import pytest
from pydantic import TypeAdapter

import manypath as mp
from manypath.scenario.applications import Application
from manypath.scenario.losses import Loss
from manypath.scenario.model import Model
from manypath.scenario.queues import Queue
from manypath.scenario.right_forms import KINDS, LISTS, MODELS, TABLES, Form

FIELDS = {"queue": TypeAdapter(Queue), "loss": TypeAdapter(Loss), "app": TypeAdapter(Application)}


@pytest.mark.parametrize("name", KINDS)
def test_a_suggested_model_is_the_same_in_a_file_and_in_python(name: str):
    for form in KINDS[name]:
        in_file, in_python = both(str(form))
        assert FIELDS[name].validate_python(in_file) == in_python


@pytest.mark.parametrize("name", [name for name, form in MODELS.items() if isinstance(form, Form)])
def test_a_suggested_table_is_the_model_in_python(name: str):
    in_file, in_python = both(str(MODELS[name]))
    assert isinstance(in_python, Model)
    assert type(in_python).__name__ == name
    assert type(in_python)(**in_file) == in_python


@pytest.mark.parametrize("text", [*LISTS.values(), TABLES["flows"], TABLES["links"], MODELS["Network"]])
def test_other_suggestions_are_valid_in_python(text: str):
    assert both(text)[1]


def both(text: str) -> tuple[dict, object]:
    """Return the values that a message suggests for a file and for Python."""
    found = re.search(r"(?:write|name:) (?P<file>[{[].*), in Python (?P<python>.*)", text)
    assert found is not None, text
    python = eval(found["python"], {name: getattr(mp, name) for name in mp.__all__})  # noqa: S307 - our own text
    return tomllib.loads(f"it = {found['file']}")["it"], python
