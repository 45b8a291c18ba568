"""Documents: what Python writes for the engine and the emulator, and reads again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from manypath.errors import UserError
from manypath.scenario.model import Model


class Document(Model):
    """A model with a network in it that becomes one JSON document, in which numbers are in base units."""

    def document(self) -> str:
        """The document: every field with its value in bit/s, nanoseconds and bytes, the same for equal values.

        Raises
        ------
        UserError
            If a name has a surrogate in it, which no UTF-8 has.
        """
        text = json.dumps(self.fields(), separators=(",", ":"), ensure_ascii=False)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            half = ascii(text[error.start])
            raise UserError(f"{half}: is half of a character, in a name: write names in whole characters") from None
        return text

    def fields(self) -> dict[str, Any]:
        """Every field as plain data; quantities keep their dimensions, so that the model can be made of it again."""
        fields = self.model_dump(exclude_none=True)
        fields["network"].setdefault("access", None)
        return fields

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Read what stands in a file: quantities with units, or a document as `document` writes it.

        Raises
        ------
        UserError
            If the fields are no such model.
        """
        return cls(**with_dimensions(cls, fields))


def with_dimensions(model: type[Document], fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the bare numbers of a document their dimensions; leave what a person wrote as it is.

    A document says the same when it is written again. What a person writes with bare numbers lacks some of its fields.
    """
    try:
        read = model.from_document(fields)
    except UserError:
        return fields
    return read.fields() if json.loads(read.document()) == fields else fields
