"""The papers as checks."""
