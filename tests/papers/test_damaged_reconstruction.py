"""A damaged `reconstruction.json` is refused in one line with its field and the remedy."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from made_up_reconstruction import PAPER as NAME
from made_up_reconstruction import reconstruction
from pydantic import TypeAdapter

import manypath
from manypath.errors import UserError
from manypath.papers import registry
from manypath.papers.reconstruction.result import FILE, Reconstruction, kept_result, load

CLAIMS = [claim.id for claim in registry()[NAME].claims]
RESULT = reconstruction(CLAIMS)
SAVED = TypeAdapter(Reconstruction).dump_json(RESULT)

Change = Callable[[dict[str, Any]], object]
"""Changes the content of a file."""


def claim(**fields: Any) -> Change:
    """Return a change of the first claim."""
    return lambda content: content["claims"][0].update(fields)


def factor(**fields: Any) -> Change:
    """Return a change of the first factor."""
    return lambda content: content["factors"][0].update(fields)


def half(**fields: Any) -> Change:
    """Return a change of half A."""
    return lambda content: content["halves"][0].update(fields)


def whole(**fields: Any) -> Change:
    """Return a change of the fields of the file."""
    return lambda content: content.update(fields)


DAMAGES: list[tuple[Change, str]] = [
    (whole(halves=[]), "halves: A is missing"),
    (lambda content: content["halves"].pop(), "halves: B is missing"),
    (lambda content: content["halves"].append(content["halves"][0]), 'halves: "A" occurs twice'),
    (half(claims=["C-004-99"]), 'halves.claims: "C-004-99" is no claim of the file'),
    (half(claims=["C-004-2"]), 'halves.claims: "C-004-2" occurs twice'),
    (half(found=["nothing"]), 'halves.found: "nothing" is no factor'),
    (whole(together=[[]]), "together.0: is empty"),
    (whole(together=[["nothing"]]), 'together: "nothing" is no factor'),
    (whole(rivals=[["nothing"]]), 'rivals: "nothing" is no factor'),
    (whole(found=["two\nlines"]), r'found: "two\nlines" is no factor'),
    (lambda content: content["transfers"][0].update(carried=["nothing"]), 'transfers.carried: "nothing" is no factor'),
    (claim(needed_seconds=math.inf), "claims.0.needed_seconds: inf is no finite number"),
    (claim(needed_seconds=math.nan), "claims.0.needed_seconds: nan is no finite number"),
    (claim(needed_seconds=-1.0), "claims.0.needed_seconds: -1.0 is too small"),
    (claim(needed=-3), "claims.0.needed: -3 is too small"),
    (claim(needed=0), "claims.0.needed: 0 is too small"),
    (claim(needed=3), "claims.C-004-1.needed: 3 runs, but the claim is decided"),
    (claim(needed_seconds=3.0), "claims.C-004-1.needed_seconds: 3, but needed has no number of runs"),
    (whole(found=["accounting", "accounting"]), 'found: "accounting" occurs twice'),
    (claim(stated_credit=1.5), "claims.0.stated_credit: 1.5 is too large"),
    (claim(reconstructed_credit=math.nan), "claims.0.reconstructed_credit: nan is no finite number"),
    (claim(id="C-004-99"), 'claims: "C-004-99" is no claim of the paper'),
    (claim(id="C-004-2"), 'claims: "C-004-2" occurs twice'),
    (lambda content: content["claims"].pop(2), "claims: C-004-3 is missing"),
    (whole(penalty=math.nan), "penalty: nan is no finite number"),
    (whole(penalty=-0.1), "penalty: -0.1 is too small"),
    (factor(share=1.1), "factors.0.share: 1.1 is too large"),
    (factor(share=-0.1), "factors.0.share: -0.1 is too small"),
    (lambda content: content["factors"].append(content["factors"][0]), 'factors: "queue" occurs twice'),
    (lambda content: content["scores"].update(found=math.nan), "scores.found: nan is no finite number"),
    (lambda content: content["scores"].update(low=-0.5), "scores.low: -0.5 is too small"),
    (whole(engine="5"), 'engine: "5" is not a number of 16 hexadecimal digits'),
    (whole(engine="0123456789ABCDEF"), "is not a number of 16 hexadecimal digits"),
    (whole(engine="0123456789abcdef\n"), "is not a number of 16 hexadecimal digits"),
    (whole(digest=""), 'digest: "" is not a number of 64 hexadecimal digits'),
    (whole(runs=0), "runs: 0 is too small"),
    (whole(seed=-1), "seed: -1 is too small"),
]


def test_the_undamaged_file_is_accepted(tmp_path):
    file = tmp_path / FILE
    file.write_text(json.dumps(json.loads(SAVED)))
    assert load(file, NAME, CLAIMS) == RESULT


@pytest.mark.parametrize(("change", "words"), DAMAGES, ids=[words for _, words in DAMAGES])
def test_a_damaged_file_is_refused_in_one_line_with_the_field_and_the_remedy(change, words, tmp_path):
    file = tmp_path / FILE
    content = json.loads(SAVED)
    change(content)
    file.write_text(json.dumps(content))
    with pytest.raises(UserError) as caught:
        load(file, NAME, CLAIMS)
    said = str(caught.value)
    assert said.startswith(f"{file}: ")
    assert words in said
    assert said.endswith(": write it again with manypath reconstruct --publish")
    assert "\n" not in said


def test_the_file_of_the_package_is_compared_with_the_claims_of_the_paper(tmp_path, monkeypatch):
    package = tmp_path / "manypath"
    (package / "papers" / NAME).mkdir(parents=True)
    monkeypatch.setattr(manypath, "__file__", str(package / "__init__.py"))
    content = json.loads(SAVED)
    content["claims"] = [each for each in content["claims"] if each["id"] != "C-004-3"]
    (package / "papers" / NAME / FILE).write_text(json.dumps(content))
    kept_result.cache_clear()
    with pytest.raises(UserError, match="claims: C-004-3 is missing"):
        kept_result(NAME)
