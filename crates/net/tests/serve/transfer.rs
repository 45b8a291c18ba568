//! Messages and notifications.

use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::notification::{AssocChange, ShutdownEvent};
use manypath_posix::abi::option::EventSubscribe;
use manypath_posix::record::{LARGEST_MESSAGE, SendInfo};
use nix::libc;

use crate::guest::{Pair, Read};

#[test]
fn messages_keep_stream_ppid_and_length() {
    let pair = Pair::new();
    let large = vec![7; LARGEST_MESSAGE];
    pair.opened.send(3, 0xdead_beef, b"hello").expect("it is connected");
    pair.opened.send(0, 1, &large).expect("it fits");
    let stream_3 =
        Read::Message { stream: 3, ppid: 0xdead_beef, bytes: b"hello".into(), ends: true };
    assert_eq!(pair.accepted.receive(), stream_3);
    let all = Read::Message { stream: 0, ppid: 1, bytes: large, ends: true };
    assert_eq!(pair.accepted.receive(), all);
    pair.accepted.send_with(None, b"answer").expect("it is connected");
    assert_eq!(pair.opened.text(), "answer");
}

#[test]
fn a_program_that_does_not_read_stops_its_peer_and_loses_nothing() {
    let pair = Pair::new();
    let limit = std::time::Duration::from_millis(300);
    let timeout = rustix::net::sockopt::Timeout::Send;
    rustix::net::sockopt::set_socket_timeout(&pair.opened.fd, timeout, Some(limit)).expect("one");
    let mut sent = 0_u32;
    let blocked = loop {
        let mut message = vec![0; 50_000];
        message[..4].copy_from_slice(&sent.to_le_bytes());
        match pair.opened.send(0, 0, &message) {
            Ok(()) => sent += 1,
            Err(errno) => break errno,
        }
        assert!(sent < 2000, "100 MB wait somewhere");
    };
    assert_eq!(blocked, libc::EAGAIN);
    for number in 0..sent {
        match pair.accepted.receive() {
            Read::Message { bytes, .. } => assert_eq!(bytes[..4], number.to_le_bytes()),
            read => panic!("{read:?}"),
        }
    }
    pair.opened.send(0, 0, b"it flows again").expect("there is room");
    assert_eq!(pair.accepted.text(), "it flows again");
}

#[test]
fn notifications_surround_the_data() {
    let pair = Pair::with(|guest| {
        let events =
            EventSubscribe { association_event: 1, shutdown_event: 1, ..Default::default() };
        guest.set(IPPROTO_SCTP, SCTP_EVENTS, &events.encode()).expect("valid");
    });
    let change = |read: Read| match read {
        Read::Notification(bytes) => AssocChange::decode(&bytes).expect("a notification"),
        read => panic!("{read:?}"),
    };
    for guest in [&pair.opened, &pair.accepted] {
        let up = change(guest.receive());
        assert_eq!((up.type_, up.state), (SCTP_ASSOC_CHANGE, SCTP_COMM_UP));
    }
    pair.opened.send(0, 0, b"last").expect("it is connected");
    pair.opened.shutdown(libc::SHUT_WR);
    assert_eq!(pair.accepted.text(), "last");
    match pair.accepted.receive() {
        Read::Notification(bytes) => {
            let event = ShutdownEvent::decode(&bytes).expect("a notification");
            assert_eq!(event.type_, SCTP_SHUTDOWN_EVENT);
        }
        read => panic!("{read:?}"),
    }
    let done = change(pair.accepted.receive());
    assert_eq!((done.type_, done.state), (SCTP_ASSOC_CHANGE, SCTP_SHUTDOWN_COMP));
    assert_eq!(pair.accepted.receive(), Read::End);
}

#[test]
fn a_message_to_a_missing_stream_is_an_error_of_that_message_alone() {
    let pair = Pair::new();
    pair.opened.send(500, 0, b"nowhere").expect("the daemon reads it");
    assert_eq!(pair.opened.receive(), Read::Error(libc::EINVAL));
    pair.opened.send(1, 0, b"somewhere").expect("it is connected");
    assert_eq!(pair.accepted.text(), "somewhere");
}

#[test]
fn flags_of_a_message_end_the_association() {
    let pair = Pair::new();
    let eof = SendInfo { flags: SCTP_EOF, ..SendInfo::default() };
    pair.opened.send_with(Some(eof), b"the end").expect("it is connected");
    assert_eq!(pair.accepted.text(), "the end");
    assert_eq!(pair.accepted.receive(), Read::End);
    assert_eq!(pair.opened.receive(), Read::End);
    let pair = Pair::new();
    let abort = SendInfo { flags: SCTP_ABORT, ..SendInfo::default() };
    pair.opened.send_with(Some(abort), b"enough").expect("it is connected");
    assert_eq!(pair.accepted.receive(), Read::Error(libc::ECONNRESET));
    assert_eq!(pair.accepted.receive(), Read::End);
}
