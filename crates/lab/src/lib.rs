//! From a scenario document to numbers.
