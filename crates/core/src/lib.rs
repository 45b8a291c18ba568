//! The words that every crate of manypath uses.
