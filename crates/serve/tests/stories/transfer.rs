//! Messages and notifications.

use std::net::IpAddr;

use manypath_net::{Endpoint, Message, Peer};
use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::notification::{AssocChange, ShutdownEvent};
use manypath_posix::abi::option::EventSubscribe;
use manypath_posix::record::{LARGEST_MESSAGE, SendInfo};
use nix::libc;

use crate::guest::{Host, Pair, Read, free_port, until};

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
    until(|| pair.opened.send(0, 0, b"it flows again").is_ok());
    assert_eq!(pair.accepted.text(), "it flows again");
}

#[test]
fn the_last_part_of_a_message_that_is_larger_than_the_receive_buffer_ends_it() {
    let udp = free_port();
    let host = Host::new(&["127.0.0.1"], udp);
    let listener = host.socket();
    // The least size is that of the largest message of a program. Other stacks send larger ones
    listener.set(libc::SOL_SOCKET, libc::SO_RCVBUF, &1_i32.encode()).expect("valid");
    listener.bind("127.0.0.1:5001").expect("it is free");
    listener.listen(1).expect("it is bound");
    let message: Vec<u8> = (0..1_000_000_u32).map(|place| (place % 251) as u8).collect();
    let whole = message.clone();
    let sender = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let local = [IpAddr::from([127, 0, 0, 2])];
            let endpoint = Endpoint::builder().local(local).encapsulation(udp).bind(0).await;
            let peer = Peer::new([IpAddr::from([127, 0, 0, 1])], 5001);
            let endpoint = endpoint.expect("an endpoint");
            let association = endpoint.connect(peer.encapsulation(udp)).await.expect("it listens");
            association.send(Message::new(whole)).await.expect("it is connected");
            association.shutdown().await
        })
    });
    let (accepted, _) = listener.accept().expect("it is connected");
    let (mut received, mut parts) = (Vec::new(), 0);
    loop {
        let Read::Message { bytes, ends, .. } = accepted.receive() else {
            panic!("{} bytes have arrived", received.len())
        };
        received.extend(bytes);
        parts += 1;
        if ends {
            break;
        }
    }
    assert!(received == message, "{} bytes have arrived", received.len());
    assert!(parts > 1, "it was delivered whole");
    sender.join().expect("no panic").expect("it is shut down");
    assert_eq!(accepted.receive(), Read::End);
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
