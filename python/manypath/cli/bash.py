"""Completion in bash, which splits words at ``=`` and ``:`` and inserts answers unchanged.

Bash passes ``--where cc=li`` as the words ``cc``, ``=`` and ``li``, and replaces only the last one by the answer. So
the words are joined before they are read, and the part before the last word is removed from the answer. Blanks are
escaped.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Cut:
    """How bash inserts an answer."""

    kept: str = ""
    """The beginning of the word, which bash does not replace."""
    is_quoted: bool = False
    """Whether the word begins with a quotation mark; blanks then need no escape."""

    def inserted(self, value: str) -> str:
        """Return the part of an answer for bash to insert."""
        rest = value.removeprefix(self.kept)
        return rest if self.is_quoted else SPECIAL.sub(r"\\\g<0>", rest)


def join_words() -> Cut | None:
    """Join the words that bash split, in the environment; return None if the caller is not bash."""
    if os.environ.get("_MANYPATH_COMPLETE") != "complete_bash":
        return None
    told = os.environ.get("COMP_WORDS", "")
    words = told.split("\n")
    current = os.environ.get("COMP_CWORD", "")
    if not WORD_NUMBER.fullmatch(current) or int(current) > len(told.split()):
        # No completion, because Typer would end with a traceback.
        os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "", "0"
        return Cut()
    if int(current) >= len(words):
        return Cut()
    joined, kept = _joined(words[: int(current) + 1])
    os.environ["COMP_WORDS"] = "\n".join(joined)
    os.environ["COMP_CWORD"] = str(len(joined) - 1)
    if kept.startswith("-"):
        # The value of `--option=value` is completed without its option.
        kept = kept.partition("=")[2]
    return Cut(kept, joined[-1][:1] in QUOTES)


def _joined(words: list[str]) -> tuple[list[str], str]:
    """Return the words as typed, and the part of the last one that bash keeps."""
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


WORD_NUMBER = re.compile("[0-9]{1,6}")
"""The number of a word, as bash gives it."""

BREAK = re.compile("[=:]+")
"""Characters that separate words in bash without blanks."""

SPECIAL = re.compile(r"""[\s"'\\$`&|;<>()*?#~!{}\[\]]""")
"""Characters with a special meaning in bash."""

QUOTES = ("'", '"')
"""First characters of quoted words."""
