//! Properties of the process at the other end of a Unix socket.

#![expect(unsafe_code, reason = "no library offers SO_PEERGROUPS")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// The supplementary groups of the process when it connected. `SO_PEERGROUPS` of socket(7)
///
/// # Errors
/// If the descriptor is no connected Unix socket, or if the kernel is older than Linux 4.13.
pub fn groups(socket: BorrowedFd<'_>) -> io::Result<Vec<u32>> {
    let mut groups = vec![0_u32; FEW];
    loop {
        let room = size_of_val(groups.as_slice());
        let mut length = libc::socklen_t::try_from(room).map_err(io::Error::other)?;
        // SAFETY: the kernel writes at most `length` bytes, which the vector has, and then their number
        let result = unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_PEERGROUPS,
                groups.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        let count = length as usize / size_of::<u32>();
        if result == 0 {
            groups.truncate(count);
            return Ok(groups);
        }
        let error = io::Error::last_os_error();
        // With this error, the kernel returns the length that it needs
        if error.raw_os_error() != Some(libc::ERANGE) || count <= groups.len() {
            return Err(error);
        }
        groups.resize(count, 0);
    }
}

/// Groups for which the first attempt has room.
const FEW: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    #[test]
    fn the_groups_of_this_process_are_those_that_proc_shows() {
        let (one, _other) = UnixStream::pair().expect("a pair");
        let mut found = groups(one.as_fd()).expect("Linux has the option");
        found.sort_unstable();
        let status = std::fs::read_to_string("/proc/self/status").expect("proc(5)");
        let line = status.lines().find_map(|line| line.strip_prefix("Groups:")).expect("a line");
        let shown: Vec<u32> =
            line.split_whitespace().map(|group| group.parse().expect("a number")).collect();
        assert_eq!(found, shown);
    }

    #[test]
    fn a_file_has_no_peer() {
        let file = std::fs::File::open("/dev/null").expect("it is there");
        let error = groups(file.as_fd()).expect_err("it is no socket");
        assert_eq!(error.raw_os_error(), Some(libc::ENOTSOCK));
    }
}
