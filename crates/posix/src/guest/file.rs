//! `sendfile`.

#![expect(unsafe_code, reason = "the caller's offset is behind a pointer")]

use super::send::send_bytes;
use super::system::{self, Result};
use libc::{c_int, off_t};

/// The length of the messages in bytes: that of the kernel's pipes.
const MESSAGE: usize = 65_536;

/// `sendfile` to an SCTP socket.
///
/// # Errors
/// Its `errno`.
///
/// # Safety
/// As for `sendfile`.
pub unsafe fn send_file(fd: c_int, file: c_int, offset: *mut off_t, count: usize) -> Result<usize> {
    let mut at = match offset.is_null() {
        true => system::seek(file, 0, libc::SEEK_CUR).map_err(|errno| match errno {
            // fs/splice.c: it must be a regular file
            libc::ESPIPE => libc::EINVAL,
            errno => errno,
        })?,
        // SAFETY: the caller's promise
        false => unsafe { *offset },
    };
    let mut bytes = vec![0; MESSAGE.min(count)];
    let mut sent = 0;
    while sent < count {
        let wanted = (count - sent).min(MESSAGE);
        let step = system::read_at(file, &mut bytes[..wanted], at)
            .and_then(|length| if length == 0 { Ok(0) } else { send_bytes(fd, &bytes[..length]) });
        match step {
            Ok(0) => break,
            Ok(length) => {
                sent += length;
                at += length as off_t;
            }
            Err(errno) if sent == 0 => return Err(errno),
            Err(_) => break,
        }
    }
    if offset.is_null() {
        system::seek(file, at, libc::SEEK_SET)?;
    } else {
        // SAFETY: the caller's promise
        unsafe { *offset = at };
    }
    Ok(sent)
}
