//! Raw system calls. Results are `Err(errno)`.

#![expect(unsafe_code, reason = "system calls take pointers; each wrapper passes valid ones")]

use libc::{c_int, c_long, c_void, iovec, msghdr, socklen_t};
use std::ptr::null_mut;

/// The result of a system call.
pub(super) type Result<T> = std::result::Result<T, c_int>;

/// A descriptor that is closed when it is dropped.
#[derive(Debug)]
pub(super) struct Owned(c_int);

impl Owned {
    pub(super) fn fd(&self) -> c_int {
        self.0
    }

    /// Gives the descriptor to the caller.
    pub(super) fn release(self) -> c_int {
        let fd = self.0;
        std::mem::forget(self);
        fd
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        close(self.0);
    }
}

/// Closes a descriptor. Leaves `errno` as it is.
pub(super) fn close(fd: c_int) {
    let saved = errno();
    // SAFETY: no pointers; the descriptor belongs to the caller alone
    unsafe { libc::syscall(libc::SYS_close, fd) };
    set_errno(saved);
}

/// The thread's `errno`.
#[must_use]
pub fn errno() -> c_int {
    // SAFETY: the pointer is valid in the calling thread
    unsafe { *libc::__errno_location() }
}

/// Sets the thread's `errno`.
pub fn set_errno(errno: c_int) {
    // SAFETY: the pointer is valid in the calling thread
    unsafe { *libc::__errno_location() = errno };
}

fn check(result: c_long) -> Result<usize> {
    usize::try_from(result).map_err(|_| errno())
}

/// A new socket of type `SOCK_SEQPACKET` with `flags`.
pub(super) fn unix_socket(flags: c_int) -> Result<Owned> {
    // SAFETY: no pointers
    let result =
        unsafe { libc::syscall(libc::SYS_socket, libc::AF_UNIX, libc::SOCK_SEQPACKET | flags, 0) };
    Ok(Owned(check(result)? as c_int))
}

/// Connects `fd` to the Unix address in `address`.
pub(super) fn connect(fd: c_int, address: &[u8]) -> Result<()> {
    // SAFETY: the kernel reads as many bytes as the slice has
    let result = unsafe { libc::syscall(libc::SYS_connect, fd, address.as_ptr(), address.len()) };
    check(result).map(drop)
}

/// The address of the peer: its length, which may be larger than `address`.
pub(super) fn peer(fd: c_int, address: &mut [u8]) -> Result<usize> {
    let mut length = address.len() as socklen_t;
    // SAFETY: the kernel writes at most `length` bytes
    let result =
        unsafe { libc::syscall(libc::SYS_getpeername, fd, address.as_mut_ptr(), &raw mut length) };
    check(result)?;
    Ok(length as usize)
}

/// Sets an option of level `SOL_SOCKET`.
pub(super) fn set_option<T>(fd: c_int, option: c_int, value: &T) -> Result<()> {
    // SAFETY: the kernel reads `size_of::<T>()` bytes of `value`
    let result = unsafe {
        libc::syscall(
            libc::SYS_setsockopt,
            fd,
            libc::SOL_SOCKET,
            option,
            std::ptr::from_ref(value),
            size_of::<T>(),
        )
    };
    check(result).map(drop)
}

/// Reads an option of level `SOL_SOCKET` into `value`, a plain number or structure of numbers.
pub(super) fn option<T: Copy>(fd: c_int, option: c_int, mut value: T) -> Result<T> {
    let mut length = size_of::<T>() as socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `value`
    let result = unsafe {
        libc::syscall(
            libc::SYS_getsockopt,
            fd,
            libc::SOL_SOCKET,
            option,
            &raw mut value,
            &raw mut length,
        )
    };
    check(result)?;
    Ok(value)
}

/// `fcntl` with a number.
pub(super) fn control(fd: c_int, command: c_int, argument: c_int) -> Result<c_int> {
    // SAFETY: the callers' commands take a number
    let result = unsafe { libc::syscall(libc::SYS_fcntl, fd, command, c_long::from(argument)) };
    Ok(check(result)? as c_int)
}

/// Another descriptor of the same file, which is closed on `exec`. Its number is `least` or larger.
pub(super) fn duplicate(fd: c_int, least: c_int) -> Result<Owned> {
    control(fd, libc::F_DUPFD_CLOEXEC, least).map(Owned)
}

/// Whether the descriptor is non-blocking.
pub(super) fn is_non_blocking(fd: c_int) -> Result<bool> {
    Ok(control(fd, libc::F_GETFL, 0)? & libc::O_NONBLOCK != 0)
}

/// Makes the descriptor blocking or non-blocking.
pub(super) fn set_non_blocking(fd: c_int, non_blocking: bool) -> Result<()> {
    let flags = control(fd, libc::F_GETFL, 0)? & !libc::O_NONBLOCK;
    let flag = if non_blocking { libc::O_NONBLOCK } else { 0 };
    control(fd, libc::F_SETFL, flags | flag).map(drop)
}

/// Part of a message whose bytes are `bytes`; the kernel only reads them.
pub(super) fn part(bytes: &[u8]) -> iovec {
    iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}

/// Part of a message that the kernel may write.
pub(super) fn part_mut(bytes: &mut [u8]) -> iovec {
    iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() }
}

/// The largest number of parts of a message: `UIO_MAXIOV`.
pub const MOST_PARTS: usize = 1024;

/// The parts of a caller's message.
///
/// # Errors
/// `EMSGSIZE` for more than [`MOST_PARTS`], `EFAULT` for a null pointer.
///
/// # Safety
/// The pointer of the message is null, or has as many parts as the message says.
pub unsafe fn parts<'a>(message: &msghdr) -> std::result::Result<&'a [iovec], c_int> {
    let length: usize = message.msg_iovlen as _;
    match length {
        0 => Ok(&[]),
        _ if length > MOST_PARTS => Err(libc::EMSGSIZE),
        _ if message.msg_iov.is_null() => Err(libc::EFAULT),
        // SAFETY: the caller's promise
        _ => Ok(unsafe { std::slice::from_raw_parts(message.msg_iov, length) }),
    }
}

/// Refuses an address without memory. A program may pass any pointer, for which the kernel has an error and no signal.
/// Memory that the process must not use is not recognised.
///
/// # Errors
/// `EFAULT`
pub fn check_mapped<T>(pointer: *const T, length: usize) -> std::result::Result<(), c_int> {
    /// Pages of the longest value, with any page size.
    const MOST_PAGES: usize = 32;
    if length == 0 {
        return Ok(());
    }
    let saved = errno();
    // SAFETY: no pointers
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let begin = pointer.addr() & !(page - 1);
    let end = pointer.addr().checked_add(length).ok_or(libc::EFAULT)?;
    let mut states = [0_u8; MOST_PAGES];
    // SAFETY: the kernel writes one byte for each page; it does not read the memory
    let result = unsafe {
        let length = (end - begin).min(page * MOST_PAGES);
        libc::syscall(libc::SYS_mincore, begin, length, states.as_mut_ptr())
    };
    let failed = check(result).err();
    set_errno(saved);
    if failed == Some(libc::ENOMEM) { Err(libc::EFAULT) } else { Ok(()) }
}

/// A message of `count` parts without address and ancillary data.
#[must_use]
pub fn message(parts: *const iovec, count: usize) -> msghdr {
    // SAFETY: zero is a valid value of each field
    let mut message: msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = parts.cast_mut();
    message.msg_iovlen = count as _;
    message
}

/// Ancillary data of one descriptor, aligned as `struct cmsghdr`.
#[repr(C, align(8))]
struct Rights([u8; 64]);

/// Sends `parts` as one record, with a descriptor.
///
/// # Safety
/// The parts must be readable.
pub(super) unsafe fn send(
    fd: c_int,
    parts: &[iovec],
    passed: Option<c_int>,
    flags: c_int,
) -> Result<usize> {
    let mut message = message(parts.as_ptr(), parts.len());
    let mut rights = Rights([0; 64]);
    if let Some(passed) = passed {
        message.msg_control = rights.0.as_mut_ptr().cast();
        // SAFETY: the buffer is larger than the space of one descriptor and aligned
        unsafe {
            message.msg_controllen = libc::CMSG_SPACE(size_of::<c_int>() as u32) as _;
            let head = libc::CMSG_FIRSTHDR(&raw const message);
            (*head).cmsg_level = libc::SOL_SOCKET;
            (*head).cmsg_type = libc::SCM_RIGHTS;
            (*head).cmsg_len = libc::CMSG_LEN(size_of::<c_int>() as u32) as _;
            libc::CMSG_DATA(head).cast::<c_int>().write_unaligned(passed);
        }
    }
    // SAFETY: the message's parts are readable by the caller's promise
    check(unsafe { libc::syscall(libc::SYS_sendmsg, fd, &raw const message, flags) })
}

/// Receives a record into `parts`. A descriptor that came with it is closed on `exec`.
///
/// # Safety
/// The parts must be writable.
pub(super) unsafe fn receive(
    fd: c_int,
    parts: &[iovec],
    flags: c_int,
) -> Result<(usize, Option<Owned>)> {
    let mut message = message(parts.as_ptr(), parts.len());
    let mut rights = Rights([0; 64]);
    message.msg_control = rights.0.as_mut_ptr().cast();
    // SAFETY: the function computes a size
    message.msg_controllen = unsafe { libc::CMSG_SPACE(size_of::<c_int>() as u32) } as _;
    let flags = flags | libc::MSG_CMSG_CLOEXEC;
    // SAFETY: the message's parts are writable by the caller's promise
    let length = check(unsafe { libc::syscall(libc::SYS_recvmsg, fd, &raw mut message, flags) })?;
    let mut passed = None;
    // SAFETY: the kernel wrote valid ancillary data
    unsafe {
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        if !head.is_null()
            && (*head).cmsg_level == libc::SOL_SOCKET
            && (*head).cmsg_type == libc::SCM_RIGHTS
        {
            passed = Some(Owned(libc::CMSG_DATA(head).cast::<c_int>().read_unaligned()));
        }
    }
    Ok((length, passed))
}

/// Copies the next bytes of the queue into `parts` at the peek offset, which moves on.
///
/// # Safety
/// The parts must be writable.
pub(super) unsafe fn peek(fd: c_int, parts: &[iovec]) -> Result<usize> {
    let mut message = message(parts.as_ptr(), parts.len());
    let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
    // SAFETY: the message's parts are writable by the caller's promise
    check(unsafe { libc::syscall(libc::SYS_recvmsg, fd, &raw mut message, flags) })
}

/// Removes the first record of the queue.
pub(super) fn drop_record(fd: c_int) -> Result<()> {
    receive_nothing(fd, libc::MSG_TRUNC | libc::MSG_DONTWAIT)
}

/// Accepts no more records: reading returns the end after the queued records.
pub(super) fn stop_reading(fd: c_int) -> Result<()> {
    // SAFETY: no pointers
    check(unsafe { libc::syscall(libc::SYS_shutdown, fd, libc::SHUT_RD) }).map(drop)
}

/// Waits until the queue has a record or has ended, unless the descriptor is non-blocking.
pub(super) fn wait(fd: c_int) -> Result<()> {
    receive_nothing(fd, libc::MSG_PEEK)
}

/// Receives into no bytes. The pointers and the length have the full width of a register: the arguments of `syscall`
/// are variable ones, which nothing extends.
fn receive_nothing(fd: c_int, flags: c_int) -> Result<()> {
    let (bytes, length) = (null_mut::<c_void>(), 0_usize);
    let (address, address_length) = (null_mut::<libc::sockaddr>(), null_mut::<socklen_t>());
    // SAFETY: the kernel writes no byte
    check(unsafe {
        libc::syscall(libc::SYS_recvfrom, fd, bytes, length, flags, address, address_length)
    })
    .map(drop)
}

/// The calling thread.
pub(super) fn thread() -> u32 {
    // SAFETY: no pointers
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

/// Sends `SIGPIPE` to the calling thread.
pub(super) fn raise_pipe() {
    // SAFETY: no pointers
    unsafe {
        let process = libc::syscall(libc::SYS_getpid);
        libc::syscall(libc::SYS_tgkill, process, thread(), libc::SIGPIPE);
    }
}

/// Lets other threads run.
pub(super) fn yield_now() {
    // SAFETY: no pointers
    unsafe { libc::syscall(libc::SYS_sched_yield) };
}

/// Writes to standard error.
pub(super) fn say(text: &[u8]) {
    // SAFETY: the kernel reads the slice
    unsafe { libc::syscall(libc::SYS_write, libc::STDERR_FILENO, text.as_ptr(), text.len()) };
}

/// Reads from a file at `offset`.
pub(super) fn read_at(fd: c_int, bytes: &mut [u8], offset: i64) -> Result<usize> {
    // SAFETY: the kernel writes at most the slice
    check(unsafe { libc::syscall(libc::SYS_pread64, fd, bytes.as_mut_ptr(), bytes.len(), offset) })
}

/// Moves the offset of a file.
pub(super) fn seek(fd: c_int, offset: i64, from: c_int) -> Result<i64> {
    // SAFETY: no pointers
    Ok(check(unsafe { libc::syscall(libc::SYS_lseek, fd, offset, from) })? as i64)
}
