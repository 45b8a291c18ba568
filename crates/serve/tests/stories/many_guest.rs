//! A program's side of one-to-many sockets.

use std::net::SocketAddr;

use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::notification::AssocChange;
use manypath_posix::abi::option::EventSubscribe;
use manypath_posix::record::{
    Answer, Call, Operation, Received, Request, SEND_RECORD, SendInfo, Sent,
};
use nix::libc;
use rustix::net::RecvFlags;

use crate::guest::{Guest, Host, free_port, read, write};

/// What a program reads from a one-to-many socket.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Got {
    Text {
        from: i32,
        text: String,
    },
    /// `SCTP_ASSOC_CHANGE`: its state.
    Change {
        of: i32,
        state: u16,
    },
    /// `SCTP_SHUTDOWN_EVENT`
    Shutdown {
        of: i32,
    },
}

/// A server, and two clients of one machine. All have one-to-many sockets and get notifications.
pub(crate) struct Trio {
    // Closed before the daemons, which wait for open sockets
    pub(crate) server: Guest,
    pub(crate) clients: [Guest; 2],
    pub(crate) server_host: Host,
    pub(crate) client_host: Host,
    /// The UDP port of both.
    pub(crate) udp: u16,
}

pub(crate) const SERVER: &str = "127.0.0.1:5001";

impl Host {
    /// A one-to-many socket that gets notifications of the beginning and the end of associations.
    pub(crate) fn many(&self) -> Guest {
        let guest = Guest::open_as(&self.path, libc::AF_INET, libc::SOCK_SEQPACKET);
        let guest = guest.expect("a socket");
        let events = EventSubscribe {
            data_io_event: 1,
            association_event: 1,
            shutdown_event: 1,
            ..EventSubscribe::default()
        };
        guest.set(IPPROTO_SCTP, SCTP_EVENTS, &events.encode()).expect("valid");
        guest
    }
}

impl Trio {
    pub(crate) fn new() -> Self {
        let udp = free_port();
        let server_host = Host::new(&["127.0.0.1"], udp);
        let client_host = Host::new(&["127.0.0.2"], udp);
        let server = server_host.many();
        server.bind(SERVER).expect("it is free");
        server.listen(1).expect("it is bound");
        let clients = [client_host.many(), client_host.many()];
        Self { server, clients, server_host, client_host, udp }
    }

    /// Both clients have an association; returns the numbers: the server's, then the clients' own.
    pub(crate) fn connected() -> (Self, [i32; 2], [i32; 2]) {
        let trio = Self::new();
        let mut numbers = [[0; 2]; 2];
        for (index, client) in trio.clients.iter().enumerate() {
            client.send_to(SERVER, "hello").expect("it listens");
            numbers[1][index] = client.comes_up();
            numbers[0][index] = trio.server.comes_up();
            assert_eq!(trio.server.got_text("hello"), numbers[0][index]);
        }
        let [server, clients] = numbers;
        (trio, server, clients)
    }
}

impl Guest {
    /// Sends as the library does it: with a question first. Returns the length that `sendmsg` returns.
    pub(crate) fn transmit(&self, sent: &Sent<'_>) -> Result<usize, i32> {
        let aborts = sent.info.is_some_and(|info| info.flags & SCTP_ABORT != 0);
        let asked = Sent { bytes: if aborts { sent.bytes } else { &[] }, ..sent.clone() };
        let bytes = Request::Data(asked).encode();
        let length = sent.bytes.len();
        let call = Call { option: length as i32, bytes: &bytes, ..Call::new(Operation::Send) };
        if self.call(call)?.0 != SEND_RECORD {
            return Ok(0);
        }
        write(&self.fd, &Request::Data(sent.clone()).encode(), None).map(|()| length)
    }

    pub(crate) fn send_to(&self, to: &str, text: &str) -> Result<usize, i32> {
        let destination: SocketAddr = to.parse().expect("an address");
        let bytes = text.as_bytes();
        self.transmit(&Sent { destination: Some(destination), bytes, ..Sent::default() })
    }

    pub(crate) fn send_on(&self, number: i32, flags: u16, text: &str) -> Result<usize, i32> {
        let info = SendInfo { association: number, flags, ..SendInfo::default() };
        self.transmit(&Sent { info: Some(info), bytes: text.as_bytes(), ..Sent::default() })
    }

    pub(crate) fn received(&self) -> Got {
        let (bytes, _) = read(&self.fd, RecvFlags::empty()).expect("a record");
        let Answer::Data(received) = Answer::decode(&bytes).expect("an answer") else {
            panic!("{bytes:?} has no data")
        };
        let Received { association, bytes, notification, .. } = received;
        if !notification {
            let text = String::from_utf8(bytes.to_vec()).expect("text");
            return Got::Text { from: association, text };
        }
        match u16::decode(bytes) {
            Some(SCTP_ASSOC_CHANGE) => {
                let change = AssocChange::decode(bytes).expect("a notification");
                assert_eq!(change.assoc_id, association);
                Got::Change { of: association, state: change.state }
            }
            Some(SCTP_SHUTDOWN_EVENT) => Got::Shutdown { of: association },
            other => panic!("notification {other:?}"),
        }
    }

    /// Receives a text; returns the number of its association.
    pub(crate) fn got_text(&self, expected: &str) -> i32 {
        match self.received() {
            Got::Text { from, text } if text == expected => from,
            other => panic!("{other:?} instead of {expected}"),
        }
    }

    /// Receives the notification of a new association; returns its number.
    pub(crate) fn comes_up(&self) -> i32 {
        match self.received() {
            Got::Change { of, state: SCTP_COMM_UP } => of,
            other => panic!("{other:?}"),
        }
    }

    /// The numbers of all associations.
    pub(crate) fn numbers(&self) -> Vec<i32> {
        let count = || self.get(IPPROTO_SCTP, SCTP_GET_ASSOC_NUMBER, &[]).expect("a number");
        // Associations may begin and end meanwhile
        let (count, list) = loop {
            let before = count();
            let list = self.get(IPPROTO_SCTP, SCTP_GET_ASSOC_ID_LIST, &[]).expect("a list");
            if count() == before {
                break (before, list);
            }
        };
        assert_eq!(list[..4], count);
        let numbers: Vec<i32> = list[4..].chunks(4).filter_map(i32::decode).collect();
        assert_eq!(u32::decode(&count), Some(numbers.len() as u32));
        numbers
    }
}
