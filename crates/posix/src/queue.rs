//! The queue of a Unix socket at its sending end.

#![expect(unsafe_code, reason = "ioctl takes a pointer to a number")]

use std::os::fd::{AsRawFd, BorrowedFd};

/// Whether the other end has read everything that was sent on a Unix socket. unix(7), `SIOCOUTQ`
#[must_use]
pub fn is_read(socket: BorrowedFd<'_>) -> bool {
    let mut waiting: libc::c_int = 0;
    // SAFETY: the request writes a number
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut waiting) };
    result == 0 && waiting == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    #[test]
    fn bytes_count_until_the_other_end_has_read_them() {
        let (mut here, mut there) = UnixStream::pair().expect("a pair");
        assert!(is_read(here.as_fd()));
        here.write_all(b"record").expect("there is room");
        assert!(!is_read(here.as_fd()));
        there.read_exact(&mut [0; 6]).expect("six bytes");
        assert!(is_read(here.as_fd()));
    }
}
