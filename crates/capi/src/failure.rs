//! Failures of functions that start and stop the stack: an `errno` and a line of text.

use libc::{c_char, c_int};
use manypath_posix::guest::returned;
use std::cell::RefCell;
use std::ffi::CString;
use std::fmt::Display;

/// A failure.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Failure {
    /// Its `errno`.
    pub(crate) errno: c_int,
    /// What is wrong, with the field and its value.
    pub(crate) text: String,
}

thread_local! {
    /// The text of the thread's last failure.
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

impl Failure {
    pub(crate) fn new(errno: c_int, text: impl Display) -> Self {
        Self { errno, text: text.to_string() }
    }

    /// A failure of the system.
    pub(crate) fn system(what: impl Display, error: &std::io::Error) -> Self {
        Self::new(error.raw_os_error().unwrap_or(libc::EIO), format_args!("{what}: {error}"))
    }

    /// A value that is not valid.
    pub(crate) fn field(name: &str, value: impl Display, expected: impl Display) -> Self {
        Self::new(libc::EINVAL, format_args!("`{name}` is {value}: expected {expected}"))
    }
}

/// The return value of a C function. Stores the text of a failure in place of the thread's earlier one.
pub(crate) fn told(result: Result<c_int, Failure>) -> c_int {
    match result {
        Ok(value) => {
            keep(None);
            value
        }
        Err(Failure { errno, text }) => {
            keep(CString::new(text).ok());
            returned(Err(errno))
        }
    }
}

fn keep(text: Option<CString>) {
    // A thread that ends has no place for it
    let _ = LAST.try_with(|last| last.replace(text));
}

/// The reason for which the thread's last call of `manypath_sctp_start`, `manypath_sctp_attach`, `manypath_sctp_stop`
/// or `manypath_sctp_event_fd` failed: one line that names the setting, or the empty string. It is valid until the
/// thread calls one of these functions again.
#[unsafe(no_mangle)]
pub extern "C" fn manypath_sctp_error() -> *const c_char {
    let text = LAST.try_with(|last| last.borrow().as_ref().map(|text| text.as_ptr()));
    // A destructor of the thread that runs after that of the text finds none
    text.ok().flatten().unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text() -> String {
        // SAFETY: the thread calls nothing meanwhile
        unsafe { CStr::from_ptr(manypath_sctp_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_thread_has_the_text_of_its_last_failure_until_a_call_succeeds() {
        assert_eq!(text(), "");
        assert_eq!(told(Err(Failure::field("local", "here", "an address"))), -1);
        assert_eq!(manypath_posix::guest::errno(), libc::EINVAL);
        assert_eq!(text(), "`local` is here: expected an address");
        std::thread::spawn(|| assert_eq!(text(), "")).join().expect("no panic");
        assert_eq!(told(Ok(3)), 3);
        assert_eq!(text(), "");
    }
}
