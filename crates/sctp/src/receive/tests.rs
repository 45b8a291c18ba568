//! Stories of the whole receiving side.
