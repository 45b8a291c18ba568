//! Errors of `manypath-net` for Python: a word for the kind, and a message of one line.

use std::io;
use std::path::Path;

use manypath_net::Error;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    manypath._native,
    SctpError,
    PyException,
    "Something that was not done; the arguments are a word for the kind and one line for people."
);

/// An error of the network or of the caller.
pub(crate) fn told(error: &Error) -> PyErr {
    SctpError::new_err(words(error))
}

/// The kind and the message of an error.
pub(crate) fn words(error: &Error) -> (&'static str, String) {
    (kind(error), error.to_string())
}

/// The process was forked from one with threads, which the fork does not have.
pub(crate) fn forked() -> PyErr {
    let line = "this process was forked from one that had used manypath.sctp: start processes with the method spawn";
    SctpError::new_err(("input", line))
}

/// The system refuses to create threads.
pub(crate) fn no_threads(error: &io::Error) -> PyErr {
    SctpError::new_err(("failed", format!("threads for SCTP: {error}")))
}

/// The interpreter is shutting down, and no task can be woken.
pub(crate) fn ending() -> PyErr {
    SctpError::new_err((
        "closed",
        "the program is ending: nothing can wait for the network any more",
    ))
}

/// A file cannot be written.
pub(crate) fn unwritten(file: &Path, error: &io::Error) -> PyErr {
    let line = format!("events: \"{}\" cannot be written: {error}", file.display());
    SctpError::new_err(("output", line))
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::AddressInUse(_) | Error::PortInUse(_) | Error::NoFreePort => "in_use",
        Error::NotLocal(_) => "not_local",
        Error::NoRoute(_) => "no_route",
        Error::NoSuchStream { .. } => "no_such_stream",
        Error::EmptyMessage => "empty",
        Error::MessageTooLarge { .. } => "too_large",
        Error::Refused(_) | Error::PortUnreachable(_) => "refused",
        Error::TimedOut | Error::Unreachable | Error::HostUnreachable(_) => "unreachable",
        Error::Aborted(_) | Error::AbortedHere | Error::ProtocolViolation => "aborted",
        Error::Closed | Error::EndpointClosed => "closed",
        _ if error.is_input() => "input",
        _ => "failed",
    }
}
