"""JSON documents for the engine and the emulator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from manypath.arguments import of_kind, text
from manypath.errors import UserError
from manypath.scenario.model import Model


class Document(Model):
    """A model with a network that is written as one JSON document, with numbers in base units."""

    def document(self) -> str:
        """Return the document: every field in bit/s, nanoseconds and bytes; equal models have equal documents.

        Raises
        ------
        UserError
            If a name has a surrogate, which UTF-8 cannot encode.
        """
        text = json.dumps(self.fields(), separators=(",", ":"), ensure_ascii=False)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            half = ascii(text[error.start])
            raise UserError(f"{half}: half of a surrogate pair in a name: write names with valid characters") from None
        return text

    def fields(self) -> dict[str, Any]:
        """Return every field as plain data; quantities keep their dimensions, so `from_fields` can read them."""
        fields = self.model_dump(exclude_none=True)
        fields["network"].setdefault("access", None)
        return fields

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of a file: with units, or in the form of `document`.

        Raises
        ------
        UserError
            If the fields are invalid.
        """
        of_kind("fields", fields, Mapping, "the fields of a file by name")
        for key in fields:
            text("fields", key, "names of fields")
        return cls(**with_dimensions(cls, fields))


def with_dimensions(model: type[Document], fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add dimensions to the numbers of a document; return fields of a hand-written file unchanged.

    Fields are a document if reading and writing them gives the same fields. A hand-written file lacks some fields.
    """
    try:
        read = model.from_document(fields)
    except UserError:
        return fields
    return read.fields() if json.loads(read.document()) == fields else fields
