//! The functions of libc that this library replaces.

use libc::c_void;
use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function that was looked up in the libraries after this one.
pub(crate) struct Real {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Real {
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Its address, or null if libc lacks it.
    pub(crate) fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name ends with a zero
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// Calls the function of libc with this name and type.
macro_rules! real {
    ($name:ident as fn($($type:ty),* $(,)?) -> $result:ty, $($argument:expr),* $(,)?) => {{
        static REAL: $crate::real::Real = $crate::real::Real::new(
            match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            },
        );
        let address = REAL.address();
        if address.is_null() {
            manypath_posix::guest::set_errno(libc::ENOSYS);
            -1
        } else {
            // SAFETY: libc's function has this type, and the arguments are those of the caller
            unsafe {
                std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn($($type),*) -> $result>(
                    address,
                )($($argument),*)
            }
        }
    }};
}

pub(crate) use real;
