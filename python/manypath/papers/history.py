"""What changed about a claim after results were known, and what was expected of a claim that was added later."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from manypath.papers.verdict import Verdict

READ_AGAIN = "2026-11-30"
"""Date of the second reading of all papers, by their texts alone."""


@dataclass(frozen=True)
class Added:
    """A claim for a sentence that had none, after the first results of its paper.

    Attributes
    ----------
    date : str
        Date (ISO 8601).
    expects : str
        What was expected before its first run, and what was known then.
    """

    date: str
    expects: str

    def __str__(self) -> str:
        """Return the entry as a sentence."""
        return f"Added on {self.date}; expected: {self.expects}."


@dataclass(frozen=True)
class Revised:
    """A change of a claim that its text alone justifies. The verdict after it is that of the next entry or of today.

    Attributes
    ----------
    date : str
        Date (ISO 8601).
    before, after : str
        What it required.
    why : str
        The reason, from the text of the paper.
    verdict : Verdict
        Its published verdict before the change.
    """

    date: str
    before: str
    after: str
    why: str
    verdict: Verdict

    def __str__(self) -> str:
        """Return the entry as a sentence."""
        return f"Revised on {self.date} from “{self.before}” ({self.verdict}) to “{self.after}”, because {self.why}."


Entry = Added | Revised
"""An entry of the history of a claim."""


def plain_entry(entry: Entry) -> dict[str, Any]:
    """Return an entry as plain data for JSON."""
    return {"change": "added" if isinstance(entry, Added) else "revised", **asdict(entry)}
