//! A program's side of the sockets, made of records.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use manypath_net::Endpoint;
use manypath_posix::abi::Layout;
use manypath_posix::abi::address::{decode, decode_all, encode, encode_all};
use manypath_posix::abi::constants::{IPPROTO_SCTP, SCTP_SOCKOPT_BINDX_ADD};
use manypath_posix::abi::option::GetAddrs;
use manypath_posix::record::{
    Answer, Call, LARGEST_RECORD, Operation, Received, Request, SendInfo, Sent,
};
use manypath_serve::{Daemon, Limits, Settings};
use nix::libc;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recvmsg,
    sendmsg, socket_with, sockopt,
};
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::shared_ports;

/// A daemon on a thread of its own.
pub(crate) struct Host {
    pub(crate) path: PathBuf,
    pub(crate) daemon: Daemon,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _folder: TempDir,
}

impl Host {
    /// A daemon on local addresses, with its UDP port.
    pub(crate) fn new(local: &[&str], udp: u16) -> Self {
        Self::with(local, udp, |_| ())
    }

    pub(crate) fn with(local: &[&str], udp: u16, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("socket");
        let local = local.iter().map(|text| text.parse().expect("an address")).collect();
        let mut settings = Settings {
            path: path.clone(),
            builder: Endpoint::builder(),
            local,
            encapsulation: Some(udp),
            most_sockets: 4096,
            limits: Limits::default(),
            group: None,
        };
        change(&mut settings);
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let daemon = Daemon::start(settings).expect("a daemon");
                ready.send(daemon.clone()).expect("the test waits");
                let _ = stopped.await;
                daemon.drain(Duration::from_secs(2)).await;
            });
        });
        let daemon = started.recv().expect("it starts");
        Self { path, daemon, stop: Some(stop), thread: Some(thread), _folder: folder }
    }

    pub(crate) fn socket(&self) -> Guest {
        Guest::open(&self.path, libc::AF_INET).expect("a socket")
    }

    /// A socket that listens.
    pub(crate) fn listening(&self, address: &str) -> Guest {
        let listener = self.socket();
        listener.bind(address).expect("it is free");
        listener.listen(5).expect("it is bound");
        listener
    }

    /// Waits until all associations have ended by themselves. The time limit of the drain is far beyond that of the test.
    pub(crate) fn drains_without_aborts(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let drained = self.daemon.drain(Duration::from_secs(3600));
            tokio::time::timeout(PATIENCE, drained).await.expect("it ends");
        });
    }

    /// Aborts the associations that are left, as a daemon does when its time is over.
    pub(crate) fn drains_at_once(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(self.daemon.drain(Duration::ZERO));
    }

    /// Waits until a condition holds.
    pub(crate) fn until(&self, holds: impl Fn(&Daemon) -> bool) {
        until(|| holds(&self.daemon));
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().expect("it runs").join();
        assert!(ended.is_ok() || std::thread::panicking(), "the daemon panicked");
    }
}

/// Waits until a condition holds.
pub(crate) fn until(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "it does not happen within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The longest wait of a test. It bounds failures only.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// A UDP port that is free on the addresses of all daemons and peers of the tests.
pub(crate) fn free_port() -> u16 {
    shared_ports::free_port(&[1, 2, 3, 4, 9].map(|last| [127, 0, 0, last].into()))
}

/// A UDP socket that does not answer, and its port, which is free on other addresses.
pub(crate) fn silent(address: &str) -> (UdpSocket, u16) {
    let port = free_port();
    (UdpSocket::bind((address, port)).expect("it is free"), port)
}

/// A descriptor of a socket.
#[derive(Debug)]
pub(crate) struct Guest {
    pub(crate) fd: OwnedFd,
    path: PathBuf,
}

/// What a program reads.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Read {
    Message { stream: u16, ppid: u32, bytes: Vec<u8>, ends: bool },
    Notification(Vec<u8>),
    Error(i32),
    End,
}

/// Connects to a daemon.
pub(crate) fn plain(path: &Path) -> OwnedFd {
    let flags = SocketFlags::CLOEXEC;
    let fd = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).expect("one");
    connect(&fd, &SocketAddrUnix::new(path).expect("a path")).expect("the daemon runs");
    limit(&fd);
    fd
}

fn limit(fd: &OwnedFd) {
    let limit = Some(PATIENCE);
    sockopt::set_socket_timeout(fd, sockopt::Timeout::Recv, limit).expect("a limit");
    sockopt::set_socket_timeout(fd, sockopt::Timeout::Send, limit).expect("a limit");
}

/// Sends a record, and a descriptor with it.
pub(crate) fn write(fd: &OwnedFd, bytes: &[u8], with: Option<&OwnedFd>) -> Result<(), i32> {
    write_with(fd, bytes, with.as_slice())
}

/// Sends a record, and descriptors with it.
pub(crate) fn write_with(fd: &OwnedFd, bytes: &[u8], with: &[&OwnedFd]) -> Result<(), i32> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(253))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let with: Vec<_> = with.iter().map(|fd| fd.as_fd()).collect();
    if !with.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(&with));
    }
    let sent = sendmsg(fd, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL);
    sent.map(drop).map_err(rustix::io::Errno::raw_os_error)
}

/// Receives a record; empty at the end.
pub(crate) fn read(fd: &OwnedFd, flags: RecvFlags) -> Result<(Vec<u8>, Option<OwnedFd>), i32> {
    let mut bytes = vec![0; LARGEST_RECORD];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let got = recvmsg(fd, &mut parts, &mut control, flags);
    let length = got.map_err(rustix::io::Errno::raw_os_error)?.bytes;
    let with = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut all) => all.next(),
        _ => None,
    });
    bytes.truncate(length);
    Ok((bytes, with))
}

impl Guest {
    pub(crate) fn open(path: &Path, domain: i32) -> Result<Self, i32> {
        Self::open_as(path, domain, libc::SOCK_STREAM)
    }

    pub(crate) fn open_as(path: &Path, domain: i32, kind: i32) -> Result<Self, i32> {
        let fd = plain(path);
        let open = Request::Open { domain, kind, protocol: IPPROTO_SCTP };
        write(&fd, &open.encode(), Some(&fd))?;
        let (bytes, _) = read(&fd, RecvFlags::empty())?;
        match Answer::decode(&bytes).expect("an answer") {
            Answer::Opened { errno: 0 } => Ok(Self { fd, path: path.to_owned() }),
            Answer::Opened { errno } => Err(errno),
            answer => panic!("{answer:?}"),
        }
    }

    /// Makes a call.
    pub(crate) fn call(&self, call: Call<'_>) -> Result<(i32, Vec<u8>), i32> {
        self.call_with_descriptor(call).map(|(value, bytes, _)| (value, bytes))
    }

    fn call_with_descriptor(&self, call: Call<'_>) -> Result<(i32, Vec<u8>, Option<OwnedFd>), i32> {
        let control = plain(&self.path);
        write(&control, &Request::Call(call).encode(), Some(&self.fd))?;
        let (bytes, with) = read(&control, RecvFlags::empty())?;
        match Answer::decode(&bytes).expect("an answer") {
            Answer::Reply { errno: 0, value, bytes, .. } => Ok((value, bytes.to_vec(), with)),
            Answer::Reply { errno, .. } => Err(errno),
            answer => panic!("{answer:?}"),
        }
    }

    fn with_address(&self, operation: Operation, address: &str, later: bool) -> Result<(), i32> {
        let bytes = encode(address.parse().expect("an address"));
        let call = Call { non_blocking: later, bytes: &bytes, ..Call::new(operation) };
        self.call(call).map(drop)
    }

    pub(crate) fn bind(&self, address: &str) -> Result<(), i32> {
        self.with_address(Operation::Bind, address, false)
    }

    pub(crate) fn bindx(&self, addresses: &[&str]) -> Result<(), i32> {
        let all: Vec<SocketAddr> = addresses.iter().map(|it| it.parse().expect("one")).collect();
        self.set(IPPROTO_SCTP, SCTP_SOCKOPT_BINDX_ADD, &encode_all(&all))
    }

    pub(crate) fn connect(&self, address: &str) -> Result<(), i32> {
        self.with_address(Operation::Connect, address, false)
    }

    /// Connects without waiting, as the library does it for a non-blocking descriptor.
    pub(crate) fn connect_later(&self, address: &str) -> Result<(), i32> {
        write(&self.fd, &Request::Filler { length: 60_000 }.encode(), None)?;
        self.with_address(Operation::Connect, address, true)
    }

    pub(crate) fn listen(&self, backlog: i32) -> Result<(), i32> {
        self.call(Call { option: backlog, ..Call::new(Operation::Listen) }).map(drop)
    }

    pub(crate) fn name(&self, operation: Operation) -> Result<SocketAddr, i32> {
        let (_, bytes) = self.call(Call::new(operation))?;
        Ok(decode(&bytes).expect("an address").0)
    }

    pub(crate) fn set(&self, level: i32, option: i32, bytes: &[u8]) -> Result<(), i32> {
        self.call(Call { level, option, bytes, ..Call::new(Operation::SetOption) }).map(drop)
    }

    pub(crate) fn get(&self, level: i32, option: i32, bytes: &[u8]) -> Result<Vec<u8>, i32> {
        let call = Call { level, option, bytes, room: 4096, ..Call::new(Operation::GetOption) };
        self.call(call).map(|(_, bytes)| bytes)
    }

    pub(crate) fn addresses(&self, option: i32) -> Vec<IpAddr> {
        let bytes = self.get(IPPROTO_SCTP, option, &[]).expect("addresses");
        let head = GetAddrs::decode(&bytes).expect("a head");
        let all = decode_all(&bytes[GetAddrs::SIZE..]).expect("addresses");
        assert_eq!(all.len(), head.addr_num as usize);
        all.iter().map(SocketAddr::ip).collect()
    }

    /// The value of `SO_ERROR`.
    pub(crate) fn error(&self) -> i32 {
        let bytes = self.get(libc::SOL_SOCKET, libc::SO_ERROR, &[]).expect("a value");
        i32::decode(&bytes).expect("a number")
    }

    pub(crate) fn accept(&self) -> Result<(Self, SocketAddr), i32> {
        let (bytes, with) = read(&self.fd, RecvFlags::empty())?;
        match Answer::decode(&bytes).expect("an answer") {
            Answer::Accept { peer, .. } => {
                let fd = with.expect("a descriptor");
                limit(&fd);
                Ok((Self { fd, path: self.path.clone() }, peer))
            }
            answer => panic!("{answer:?}"),
        }
    }

    /// Peels an association off, of whose first message `offset` bytes of the record were read.
    pub(crate) fn peel_off(&self, number: i32, offset: u32) -> Result<Self, i32> {
        let call = Call { option: number, room: offset, ..Call::new(Operation::PeelOff) };
        let (_, _, with) = self.call_with_descriptor(call)?;
        let fd = with.expect("a descriptor");
        limit(&fd);
        Ok(Self { fd, path: self.path.clone() })
    }

    pub(crate) fn send(&self, stream: u16, ppid: u32, bytes: &[u8]) -> Result<(), i32> {
        let info = SendInfo { stream, ppid, ..SendInfo::default() };
        self.send_with(Some(info), bytes)
    }

    pub(crate) fn send_with(&self, info: Option<SendInfo>, bytes: &[u8]) -> Result<(), i32> {
        let sent = Sent { info, bytes, ..Sent::default() };
        write(&self.fd, &Request::Data(sent).encode(), None)
    }

    pub(crate) fn shutdown(&self, how: i32) {
        write(&self.fd, &Request::Shutdown { how }.encode(), None).expect("the daemon runs");
    }

    pub(crate) fn receive(&self) -> Read {
        let bytes = match read(&self.fd, RecvFlags::empty()) {
            Ok((bytes, _)) => bytes,
            Err(errno) => return Read::Error(errno),
        };
        if bytes.is_empty() {
            return Read::End;
        }
        match Answer::decode(&bytes).expect("an answer") {
            Answer::Data(Received { notification: true, bytes, .. }) => {
                Read::Notification(bytes.to_vec())
            }
            Answer::Data(Received { stream, ppid, bytes, end_of_record: ends, .. }) => {
                Read::Message { stream, ppid, bytes: bytes.to_vec(), ends }
            }
            Answer::Error { errno } => Read::Error(errno),
            answer => panic!("{answer:?}"),
        }
    }

    /// Receives a message of stream 0.
    pub(crate) fn text(&self) -> String {
        match self.receive() {
            Read::Message { bytes, .. } => String::from_utf8(bytes).expect("text"),
            read => panic!("{read:?}"),
        }
    }
}

/// A listening socket, and a connected one with its accepted end.
pub(crate) struct Pair {
    // Closed before the daemons, which wait for open sockets
    pub(crate) listener: Guest,
    pub(crate) opened: Guest,
    pub(crate) accepted: Guest,
    pub(crate) server: Host,
    pub(crate) client: Host,
}

impl Pair {
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    /// A pair whose sockets are prepared before they listen and connect.
    pub(crate) fn with(prepare: impl Fn(&Guest)) -> Self {
        let udp = free_port();
        let server = Host::new(&["127.0.0.1"], udp);
        let client = Host::new(&["127.0.0.2"], udp);
        let (listener, opened) = (server.socket(), client.socket());
        prepare(&listener);
        prepare(&opened);
        listener.bind("127.0.0.1:5001").expect("it is free");
        listener.listen(5).expect("it is bound");
        opened.connect("127.0.0.1:5001").expect("it listens");
        let (accepted, _) = listener.accept().expect("it is connected");
        Self { server, client, listener, opened, accepted }
    }
}
