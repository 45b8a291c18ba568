"""Completion in bash, which cuts words at ``=`` and ``:`` and inserts answers as they are.

Bash asks about ``--where cc=li`` as the words ``cc``, ``=`` and ``li``, and replaces only the last one by the answer.
So the words are joined before they are read, and an answer loses what bash does not replace. Blanks in it are escaped.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Cut:
    """What bash makes of an answer."""

    kept: str = ""
    """The beginning of the word that stays on the line."""
    is_quoted: bool = False
    """Whether the word begins with a quotation mark, behind which blanks need no escape."""

    def inserted(self, value: str) -> str:
        """The part of an answer that bash inserts."""
        rest = value.removeprefix(self.kept)
        return rest if self.is_quoted else SPECIAL.sub(r"\\\g<0>", rest)


def join_words() -> Cut | None:
    """Join the words that bash has cut, in the environment; None if it is not bash that asks."""
    if os.environ.get("_MANYPATH_COMPLETE") != "complete_bash":
        return None
    words = os.environ.get("COMP_WORDS", "").split("\n")
    current = os.environ.get("COMP_CWORD", "")
    if not current.isdecimal() or int(current) >= len(words):
        return Cut()
    joined, kept = _joined(words[: int(current) + 1])
    os.environ["COMP_WORDS"] = "\n".join(joined)
    os.environ["COMP_CWORD"] = str(len(joined) - 1)
    if kept.startswith("-"):
        # The value of `--option=value`, which is completed without its option.
        kept = kept.partition("=")[2]
    return Cut(kept, joined[-1][:1] in QUOTES)


def _joined(words: list[str]) -> tuple[list[str], str]:
    """The words as they were typed, and what bash keeps of the last one."""
    joined: list[str] = []
    kept = ""
    goes_on = False
    for word in words:
        is_break = BREAK.fullmatch(word) is not None
        if joined and (is_break or goes_on):
            kept = joined[-1] + word if is_break else joined[-1]
            joined[-1] += word
        else:
            kept = ""
            joined.append(word)
        goes_on = is_break
    return joined, kept


BREAK = re.compile("[=:]+")
"""A word of its own for bash, which separates others without blanks."""

SPECIAL = re.compile(r"""[\s"'\\$`&|;<>()*?#~!{}\[\]]""")
"""Characters that mean something else to bash."""

QUOTES = ("'", '"')
"""What a quoted word begins with."""
