//! A daemon for tests: it connects SCTP sockets of programs to each other, without a network.

use crate::wire;
use manypath_posix::abi::address;
use manypath_posix::abi::constants::{
    IPPROTO_SCTP, SCTP_ABORT, SCTP_AUTH_KEY, SCTP_EVENTS, SCTP_FRAGMENT_INTERLEAVE,
    SCTP_GET_ASSOC_NUMBER, SCTP_PEER_ADDR_PARAMS, SCTP_RECVRCVINFO,
};
use manypath_posix::record::{
    ALL_SENT, ANCILLARY_RCVINFO, ANCILLARY_SNDRCV, Answer, Call, LARGEST_RECORD, NOTHING_SENT,
    Operation, Received, Refused, Request, SEND_RECORD, Sent,
};
use rustix::net::{Shutdown, shutdown};
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Streams of each association.
const STREAMS: u16 = 10;
/// The port of a socket that gets a message at each question for the number of its associations.
const LAST: u16 = 11;
/// The extension of the file that a program writes beside the socket to release connections.
const RELEASED: &str = "released";
/// Errors and options of Linux.
const EINVAL: i32 = 22;
const EPIPE: i32 = 32;
const EADDRINUSE: i32 = 98;
const ENOPROTOOPT: i32 = 92;
const ECONNRESET: i32 = 104;
const EOPNOTSUPP: i32 = 95;
const ENOTCONN: i32 = 107;
const ECONNREFUSED: i32 = 111;
const EINPROGRESS: i32 = 115;
const AF_INET6: i32 = 10;
const SOCK_SEQPACKET: i32 = 5;
const SOL_SOCKET: i32 = 1;
const SO_TYPE: i32 = 3;
const SO_PRIORITY: i32 = 12;
const SO_ACCEPTCONN: i32 = 30;
const SO_BINDTODEVICE: i32 = 25;
const SO_TXTIME: i32 = 61;
const IPPROTO_TCP: i32 = 6;
const SO_ERROR: i32 = 4;
const SO_PROTOCOL: i32 = 38;
const SO_DOMAIN: i32 = 39;

/// A running daemon. Its threads end with the test.
pub(crate) struct Daemon {
    shared: Arc<Shared>,
    _folder: TempDir,
}

struct Shared {
    path: PathBuf,
    /// Whether connections are made only after the program's `release()`.
    holds: AtomicBool,
    /// Calls so far.
    calls: AtomicU64,
    state: Mutex<State>,
}

struct State {
    sockets: BTreeMap<u64, Socket>,
    /// Listening sockets by port.
    listeners: HashMap<u16, u64>,
    last_port: u16,
}

/// A socket of a program.
struct Socket {
    /// The daemon's end.
    end: Arc<OwnedFd>,
    domain: i32,
    kind: i32,
    local: Option<SocketAddr>,
    remote: Option<SocketAddr>,
    peer: Option<u64>,
    connecting: bool,
    error: i32,
    ancillary: u16,
    /// The program has asked for a message.
    has_sent: bool,
}

impl Daemon {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sctp");
        let listener = wire::listener(&path);
        let state =
            State { sockets: BTreeMap::new(), listeners: HashMap::new(), last_port: 40_000 };
        let (holds, calls) = (AtomicBool::new(false), AtomicU64::new(0));
        let shared = Arc::new(Shared { path, holds, calls, state: Mutex::new(state) });
        let daemon = Self { shared: Arc::clone(&shared), _folder: folder };
        thread::spawn(move || {
            loop {
                let end = Arc::new(wire::accept(&listener));
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(&end));
            }
        });
        daemon
    }

    pub(crate) fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Makes no connection before the program calls `release()`.
    pub(crate) fn hold_connections(&self) {
        self.shared.holds.store(true, Ordering::Relaxed);
    }

    /// How many calls programs have made.
    pub(crate) fn calls(&self) -> u64 {
        self.shared.calls.load(Ordering::Relaxed)
    }

    /// How many sockets programs have.
    pub(crate) fn sockets(&self) -> usize {
        self.shared.state().sockets.len()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    /// Serves a connection: a socket or one call.
    fn serve(self: &Arc<Self>, end: &Arc<OwnedFd>) {
        let mut buffer = vec![0; LARGEST_RECORD];
        let Some((length, Some(passed))) = wire::receive(end, &mut buffer) else {
            return;
        };
        let cookie = wire::cookie(&passed);
        drop(passed);
        match Request::decode(&buffer[..length]).expect("a record") {
            Request::Open { domain, kind, protocol } => {
                assert_eq!(protocol, IPPROTO_SCTP);
                let socket = Socket {
                    end: Arc::clone(end),
                    domain,
                    kind,
                    local: None,
                    remote: None,
                    peer: None,
                    connecting: false,
                    error: 0,
                    ancillary: 0,
                    has_sent: false,
                };
                self.state().sockets.insert(cookie, socket);
                wire::send(end, &Answer::Opened { errno: 0 }.encode(), None);
                self.carry(cookie, end, &mut buffer);
                self.close(cookie);
            }
            Request::Call(call) => {
                self.calls.fetch_add(1, Ordering::Relaxed);
                self.call(cookie, &call, end);
            }
            other => panic!("{other:?} is not the first record"),
        }
    }

    /// Passes messages of a socket to its peer.
    fn carry(&self, cookie: u64, end: &Arc<OwnedFd>, buffer: &mut [u8]) {
        loop {
            while self.state().sockets[&cookie].connecting {
                thread::sleep(Duration::from_millis(2));
            }
            // Hundreds of these threads must not keep the processors busy
            if !wire::readable(end, Duration::from_millis(900)) {
                continue;
            }
            if self.state().sockets[&cookie].connecting {
                continue;
            }
            let Some((length, _)) = wire::receive(end, buffer).filter(|it| it.0 > 0) else {
                return;
            };
            match Request::decode(&buffer[..length]).expect("a record") {
                Request::Data(sent) => self.pass(cookie, &sent),
                Request::Shutdown { how: 0 } | Request::Filler { .. } => {}
                Request::Shutdown { .. } => self.end_peer(cookie),
                other => panic!("{other:?} within an association"),
            }
        }
    }

    /// Ends as a killed process does: its socket does not answer, and its ends of the programs' sockets are closed.
    fn die(&self) {
        std::fs::remove_file(&self.path).expect("the socket");
        for socket in self.state().sockets.values() {
            let _ = shutdown(&socket.end, Shutdown::Both);
        }
    }

    fn pass(&self, from: u64, sent: &Sent<'_>) {
        if sent.bytes == b"daemon, die" {
            return self.die();
        }
        let state = self.state();
        if state.sockets[&from].kind == SOCK_SEQPACKET {
            drop(state);
            return self.echo(from, sent);
        }
        let Some(peer) = state.sockets[&from].peer.and_then(|peer| state.sockets.get(&peer)) else {
            return;
        };
        let info = sent.info.unwrap_or_default();
        let end = Arc::clone(&peer.end);
        let record = match info.flags & SCTP_ABORT {
            0 => Answer::Data(Received {
                end_of_record: true,
                ancillary: peer.ancillary,
                stream: info.stream,
                ppid: info.ppid,
                flags: info.flags & 1,
                association: 1,
                source: peer.remote,
                bytes: sent.bytes,
                ..Received::default()
            }),
            _ => Answer::Error { errno: ECONNRESET },
        };
        drop(state);
        wire::send(&end, &record.encode(), None);
        if info.flags & SCTP_ABORT != 0 {
            self.state().disconnect(from);
            let _ = shutdown(&end, Shutdown::Both);
        }
    }

    fn end_peer(&self, cookie: u64) {
        let mut state = self.state();
        if let Some(peer) = state.sockets[&cookie].peer.and_then(|peer| state.sockets.get(&peer)) {
            let _ = shutdown(&peer.end, Shutdown::Write);
        }
        state.disconnect(cookie);
    }

    fn close(&self, cookie: u64) {
        self.end_peer(cookie);
        let mut state = self.state();
        state.sockets.remove(&cookie);
        state.listeners.retain(|_, listener| *listener != cookie);
    }

    fn call(self: &Arc<Self>, cookie: u64, call: &Call<'_>, control: &OwnedFd) {
        match call.operation {
            Operation::Connect => return self.connect(cookie, call, control),
            Operation::Send => return self.permit(cookie, call, control),
            Operation::PeelOff => return self.peel_off(cookie, call, control),
            _ => {}
        }
        let mut state = self.state();
        let result = match state.sockets.contains_key(&cookie) {
            true => state.answer(cookie, call),
            false => Err(ENOTCONN),
        };
        drop(state);
        let (errno, bytes) = match &result {
            Ok(bytes) => (0, &bytes[..]),
            Err(errno) => (*errno, &[][..]),
        };
        let refused = match (call.level, errno) {
            (_, ENOPROTOOPT) => Refused::Option,
            (_, EOPNOTSUPP) if call.operation == Operation::SetOption => Refused::Value,
            _ => Refused::Nothing,
        };
        let value = match call.operation {
            Operation::PeerName => STREAMS.into(),
            Operation::SetOption if refused == Refused::Value => number(call.bytes),
            _ => 0,
        };
        wire::send(control, &Answer::Reply { errno, value, refused, bytes }.encode(), None);
    }

    /// Answers the question before a message of a one-to-many socket. Association 7 does not exist, the peer at port 9
    /// does not answer. The reason of an abort is delivered to its sender.
    fn permit(&self, cookie: u64, call: &Call<'_>, control: &OwnedFd) {
        let Ok(Request::Data(sent)) = Request::decode(call.bytes) else {
            panic!("{call:?} has no message")
        };
        self.state().socket(cookie).has_sent = true;
        let info = sent.info.unwrap_or_default();
        let (errno, value) = match (info.association, sent.destination) {
            (7, _) => (EPIPE, -1),
            (_, Some(to)) if to.port() == 9 => (0, ALL_SENT),
            _ if info.flags & SCTP_ABORT != 0 => (0, NOTHING_SENT),
            _ => (0, SEND_RECORD),
        };
        if value == NOTHING_SENT {
            self.echo(cookie, &Sent { info: None, ..sent });
        }
        let answer = Answer::Reply { errno, value, refused: Refused::Nothing, bytes: &[] };
        wire::send(control, &answer.encode(), None);
    }

    /// Makes a socket whose first message is the peek offset of the call. Association 6 is peeled off after the next
    /// call; its socket gets a message when the daemon begins to wait.
    fn peel_off(&self, cookie: u64, call: &Call<'_>, control: &OwnedFd) {
        if call.option == 6 {
            let calls = self.calls.load(Ordering::Relaxed);
            self.echo(cookie, &Sent { bytes: b"waits", ..Sent::default() });
            while self.calls.load(Ordering::Relaxed) == calls {
                thread::sleep(Duration::from_millis(2));
            }
        }
        let end = wire::connect(&self.path);
        let cookie = wire::cookie(&end);
        let open = Request::Open { domain: 2, kind: SOCK_SEQPACKET, protocol: IPPROTO_SCTP };
        wire::send(&end, &open.encode(), Some(&end));
        wire::receive(&end, &mut [0; 128]).expect("opened");
        self.echo(cookie, &Sent { bytes: call.room.to_string().as_bytes(), ..Sent::default() });
        let answer = Answer::Reply { errno: 0, value: 0, refused: Refused::Nothing, bytes: &[] };
        wire::send(control, &answer.encode(), Some(&end));
    }

    /// Delivers a message to its sender.
    fn echo(&self, cookie: u64, sent: &Sent<'_>) {
        let end = Arc::clone(&self.state().sockets[&cookie].end);
        let record = Answer::Data(Received {
            end_of_record: true,
            source: sent.destination,
            bytes: sent.bytes,
            ..Received::default()
        });
        wire::send(&end, &record.encode(), None);
    }

    fn connect(self: &Arc<Self>, cookie: u64, call: &Call<'_>, control: &OwnedFd) {
        let (to, _) = address::decode(call.bytes).expect("an address");
        let reply = |errno| {
            let value = STREAMS.into();
            let answer = Answer::Reply { errno, value, refused: Refused::Nothing, bytes: &[] };
            wire::send(control, &answer.encode(), None);
        };
        self.state().socket(cookie).connecting = true;
        let shared = Arc::clone(self);
        let finish = move || {
            let released = shared.path.with_extension(RELEASED);
            while shared.holds.load(Ordering::Relaxed) && !released.exists() {
                thread::sleep(Duration::from_millis(2));
            }
            let errno = shared.establish(cookie, to).err().unwrap_or(0);
            if let Some(socket) = shared.state().sockets.get_mut(&cookie) {
                socket.error = errno;
                socket.connecting = false;
            }
            errno
        };
        if call.non_blocking {
            reply(EINPROGRESS);
            finish();
        } else {
            reply(finish());
        }
    }

    /// Makes the server's socket and puts it into the queue of the listening one.
    fn establish(&self, client: u64, to: SocketAddr) -> Result<(), i32> {
        let (listener, domain) = {
            let state = self.state();
            let listener = state.listeners.get(&to.port()).ok_or(ECONNREFUSED)?;
            (*listener, state.sockets[listener].domain)
        };
        let end = wire::connect(&self.path);
        let cookie = wire::cookie(&end);
        let open = Request::Open { domain, kind: 1, protocol: IPPROTO_SCTP };
        wire::send(&end, &open.encode(), Some(&end));
        let mut buffer = [0; 128];
        wire::receive(&end, &mut buffer).expect("opened");
        let mut state = self.state();
        let from = state.bound(client);
        state.socket(client).peer = Some(cookie);
        state.socket(client).remote = Some(to);
        state.socket(cookie).peer = Some(client);
        state.socket(cookie).remote = Some(from);
        state.socket(cookie).local = Some(to);
        let queue = Arc::clone(&state.socket(listener).end);
        drop(state);
        wire::send(&queue, &Answer::Accept { peer: from, streams: STREAMS }.encode(), Some(&end));
        Ok(())
    }
}

impl State {
    fn socket(&mut self, cookie: u64) -> &mut Socket {
        self.sockets.get_mut(&cookie).expect("a socket")
    }

    /// The peer of a socket has no peer any more.
    fn disconnect(&mut self, cookie: u64) {
        let peer = self.socket(cookie).peer;
        if let Some(peer) = peer.and_then(|peer| self.sockets.get_mut(&peer)) {
            peer.remote = None;
        }
    }

    /// The local address; a socket without one gets a port.
    fn bound(&mut self, cookie: u64) -> SocketAddr {
        if let Some(local) = self.socket(cookie).local {
            return local;
        }
        self.last_port += 1;
        let ip = match self.socket(cookie).domain {
            AF_INET6 => IpAddr::from(Ipv6Addr::LOCALHOST),
            _ => Ipv4Addr::LOCALHOST.into(),
        };
        let local = (ip, self.last_port).into();
        self.socket(cookie).local = Some(local);
        local
    }

    /// The bytes of the reply, or an error.
    fn answer(&mut self, cookie: u64, call: &Call<'_>) -> Result<Vec<u8>, i32> {
        let listens = self.listeners.values().any(|listener| *listener == cookie);
        match call.operation {
            Operation::Bind => {
                let (mut local, _) = address::decode(call.bytes).ok_or(EINVAL)?;
                if self.listeners.contains_key(&local.port()) {
                    return Err(EADDRINUSE);
                }
                if local.port() == 0 {
                    local.set_port(self.bound(cookie).port());
                }
                self.socket(cookie).local = Some(local);
            }
            Operation::Listen => {
                let port = self.bound(cookie).port();
                self.listeners.insert(port, cookie);
            }
            Operation::Accept if self.socket(cookie).kind == SOCK_SEQPACKET => {
                return Err(EOPNOTSUPP);
            }
            Operation::Accept if !listens => return Err(EINVAL),
            Operation::Accept => {}
            Operation::SocketName => return Ok(address::encode(self.bound(cookie))),
            Operation::PeerName => {
                let remote = self.socket(cookie).remote;
                return remote.map(address::encode).ok_or(ENOTCONN);
            }
            Operation::GetOption => return self.option(cookie, call),
            Operation::SetOption => return self.set_option(cookie, call),
            Operation::Connect | Operation::Send | Operation::PeelOff => {
                panic!("it has an answer of its own")
            }
        }
        Ok(Vec::new())
    }

    fn option(&mut self, cookie: u64, call: &Call<'_>) -> Result<Vec<u8>, i32> {
        let socket = self.socket(cookie);
        let value = match (call.level, call.option) {
            (SOL_SOCKET, SO_TYPE) => socket.kind,
            (SOL_SOCKET, SO_PROTOCOL) => IPPROTO_SCTP,
            (SOL_SOCKET, SO_DOMAIN) => socket.domain,
            (SOL_SOCKET, SO_ERROR) => std::mem::take(&mut socket.error),
            (SOL_SOCKET, SO_ACCEPTCONN) => 0,
            // Those of a one-to-many socket are known by its messages
            (IPPROTO_SCTP, SCTP_GET_ASSOC_NUMBER) => {
                if socket.local.is_some_and(|local| local.port() == LAST) {
                    let bytes = b"the last";
                    let last = Received { end_of_record: true, bytes, ..Received::default() };
                    wire::send(&socket.end, &Answer::Data(last).encode(), None);
                }
                i32::from(socket.has_sent)
            }
            _ => return Err(ENOPROTOOPT),
        };
        Ok(value.to_ne_bytes().to_vec())
    }

    fn set_option(&mut self, cookie: u64, call: &Call<'_>) -> Result<Vec<u8>, i32> {
        let ancillary = match (call.level, call.option) {
            (IPPROTO_SCTP, SCTP_EVENTS) => ANCILLARY_SNDRCV,
            (IPPROTO_SCTP, SCTP_RECVRCVINFO) => ANCILLARY_RCVINFO,
            (IPPROTO_SCTP, SCTP_AUTH_KEY) => return Err(ENOPROTOOPT),
            (IPPROTO_SCTP, SCTP_FRAGMENT_INTERLEAVE | SCTP_PEER_ADDR_PARAMS)
            | (SOL_SOCKET, SO_PRIORITY) => return Err(EOPNOTSUPP),
            (SOL_SOCKET, SO_BINDTODEVICE | SO_TXTIME) | (IPPROTO_TCP, _) => {
                return Err(ENOPROTOOPT);
            }
            _ => 0,
        };
        self.socket(cookie).ancillary |= if call.bytes[0] == 0 { 0 } else { ancillary };
        Ok(Vec::new())
    }
}

/// The first number of a value.
fn number(bytes: &[u8]) -> i32 {
    bytes.first_chunk().map_or(0, |first| i32::from_ne_bytes(*first))
}
