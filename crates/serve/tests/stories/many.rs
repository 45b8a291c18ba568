//! One-to-many sockets: many associations of one descriptor.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use manypath_net::{Endpoint, Error, Message, Peer};
use manypath_posix::abi::Layout;
use manypath_posix::abi::address::{decode_all, encode, encode_all};
use manypath_posix::abi::constants::*;
use manypath_posix::abi::message::InitMsg;
use manypath_posix::abi::option::{AssocValue, Event, GetAddrs, PaddrInfo, RtoInfo, Status};
use manypath_posix::record::{
    Answer, Call, HEAD, LARGEST_MESSAGE, Operation, Request, SendInfo, Sent,
};
use nix::libc;
use rustix::net::{RecvFlags, sockopt};

use crate::guest::{Guest, Host, Read, free_port, read, silent, until, write};
use crate::many_guest::{Got, SERVER, Trio};

#[test]
fn one_descriptor_talks_with_several_peers() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    assert_ne!(first, second);
    assert_ne!(own, other);
    assert_eq!(trio.server.numbers(), [first, second]);
    assert_eq!(trio.clients[0].numbers(), [own]);
    assert_eq!(trio.server.send_on(second, 0, "to the second"), Ok(13));
    assert_eq!(trio.server.send_on(first, 0, "to the first"), Ok(12));
    assert_eq!(trio.clients[0].got_text("to the first"), own);
    assert_eq!(trio.clients[1].got_text("to the second"), other);
    assert_eq!(trio.server.name(Operation::PeerName), Err(libc::ENOTCONN));
    assert_eq!(trio.server.call(Call::new(Operation::Accept)), Err(libc::EOPNOTSUPP));
    assert_eq!(trio.server.name(Operation::SocketName), Ok(SERVER.parse().expect("an address")));
}

#[test]
fn eof_shuts_one_association_down_after_its_messages() {
    let (trio, [first, second], [own, _]) = Trio::connected();
    // More than the client's receive buffer, which the client does not read yet, so the shutdown waits
    let text = "x".repeat(100_000);
    for _ in 0..60 {
        assert_eq!(trio.server.send_on(first, 0, &text), Ok(text.len()));
    }
    assert_eq!(trio.server.send_on(first, SCTP_EOF, ""), Ok(0));
    assert_eq!(trio.server.send_on(first, 0, "too late"), Err(libc::ESHUTDOWN));
    for _ in 0..60 {
        assert_eq!(trio.clients[0].got_text(&text), own);
    }
    assert_eq!(trio.clients[0].received(), Got::Shutdown { of: own });
    let done = |of| Got::Change { of, state: SCTP_SHUTDOWN_COMP };
    assert_eq!(trio.clients[0].received(), done(own));
    assert_eq!(trio.server.received(), done(first));
    until(|| trio.server.numbers() == [second]);
    assert_eq!(trio.server.send_on(first, 0, "too late"), Err(libc::EPIPE));
    assert_eq!(trio.server.send_on(second, 0, "unharmed"), Ok(8));
    trio.clients[1].got_text("unharmed");
}

#[test]
fn an_aborted_association_ends_immediately_and_can_be_opened_again() {
    let (trio, [first, second], [own, _]) = Trio::connected();
    assert_eq!(trio.clients[0].send_on(own, SCTP_ABORT, "enough"), Ok(0));
    assert_eq!(trio.clients[0].send_on(own, 0, "too late"), Err(libc::EPIPE));
    assert_eq!(trio.server.received(), Got::Change { of: first, state: SCTP_COMM_LOST });
    assert_eq!(trio.server.numbers(), [second]);
    assert_eq!(trio.clients[0].send_to(SERVER, "again"), Ok(5));
    assert_eq!(trio.clients[0].received(), Got::Change { of: own, state: SCTP_COMM_LOST });
    assert_ne!(trio.clients[0].comes_up(), own);
    let again = trio.server.comes_up();
    assert_eq!(trio.server.got_text("again"), again);
    assert!(again > second, "{again}");
    assert_eq!(trio.server.error(), 0, "other associations of the socket are well");
}

#[test]
fn a_message_to_all_goes_to_each_established_association() {
    let (trio, _, [own, other]) = Trio::connected();
    let to_all = SendInfo { flags: SCTP_SENDALL, ..SendInfo::default() };
    let sent = Sent { info: Some(to_all), bytes: b"everyone", ..Sent::default() };
    assert_eq!(trio.server.transmit(&sent), Ok(8));
    assert_eq!(trio.clients[0].got_text("everyone"), own);
    assert_eq!(trio.clients[1].got_text("everyone"), other);
    let lonely = trio.client_host.many();
    assert_eq!(lonely.transmit(&sent), Ok(0), "there is no association");
    let end = SendInfo { flags: SCTP_SENDALL | SCTP_EOF, ..SendInfo::default() };
    assert_eq!(trio.server.transmit(&Sent { info: Some(end), ..Sent::default() }), Ok(0));
    for client in &trio.clients {
        assert!(matches!(client.received(), Got::Shutdown { .. }));
    }
    until(|| trio.server.numbers().is_empty());
}

#[test]
fn a_closed_socket_shuts_all_associations_down() {
    let (trio, _, [own, other]) = Trio::connected();
    let Trio { server, clients, server_host, client_host, .. } = trio;
    server.send_on(server.numbers()[0], 0, "goodbye").expect("it is connected");
    clients[0].got_text("goodbye");
    drop(server);
    for (client, of) in clients.iter().zip([own, other]) {
        assert_eq!(client.received(), Got::Shutdown { of });
        assert_eq!(client.received(), Got::Change { of, state: SCTP_SHUTDOWN_COMP });
    }
    server_host.until(|daemon| daemon.sockets() == 0);
    drop((clients, client_host));
}

#[test]
fn unread_data_abort_all_associations_of_a_closed_socket() {
    let (trio, _, [own, other]) = Trio::connected();
    trio.clients[0].send_on(own, 0, "unread").expect("it is connected");
    until(|| is_readable(&trio.server));
    drop(trio.server);
    for (client, of) in trio.clients.iter().zip([own, other]) {
        assert_eq!(client.received(), Got::Change { of, state: SCTP_COMM_LOST });
    }
}

#[test]
fn unread_data_abort_associations_also_while_further_data_wait_on_both_sides() {
    // The kernel tells the error once: to what the socket sends, or to what it receives
    for server_first in [true, false] {
        let (trio, numbers, [own, _]) = Trio::connected();
        let Trio { server, clients: [client, _], .. } = &trio;
        if server_first {
            flood(server, numbers[0]);
            flood(client, own);
        } else {
            flood(client, own);
            flood(server, numbers[0]);
        }
        let Trio {
            server,
            clients: [client, _other],
            server_host: _server_host,
            client_host: _host,
            ..
        } = trio;
        drop(server);
        let lost = Got::Change { of: own, state: SCTP_COMM_LOST };
        while let got = client.received()
            && got != lost
        {
            assert!(matches!(got, Got::Text { .. }), "{got:?}");
        }
    }
}

/// Sends messages until no buffer on the way has room.
fn flood(guest: &Guest, number: i32) {
    rustix::io::ioctl_fionbio(&guest.fd, true).expect("a socket");
    let info = SendInfo { association: number, ..SendInfo::default() };
    let mut last = Instant::now();
    while last.elapsed() < Duration::from_millis(200) {
        match guest.send_with(Some(info), &[b'f'; 100_000]) {
            Ok(()) => last = Instant::now(),
            Err(errno) => {
                assert_eq!(errno, libc::EAGAIN);
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
    rustix::io::ioctl_fionbio(&guest.fd, false).expect("a socket");
}

#[test]
fn addresses_that_the_peer_does_not_list_belong_to_no_association() {
    let (trio, _, _) = Trio::connected();
    let udp = trio.udp;
    let third = Host::new(&["127.0.0.3"], udp);
    let other = third.many();
    other.bind("127.0.0.3:5001").expect("it is free");
    other.listen(1).expect("it is bound");
    let guest = trio.client_host.many();
    let both = [SERVER, "127.0.0.3:5001"].map(|text| text.parse().expect("an address"));
    guest.set(IPPROTO_SCTP, SCTP_SOCKOPT_CONNECTX, &encode_all(&both)).expect("one listens");
    let number = guest.comes_up();
    let peers = GetAddrs { assoc_id: number, addr_num: 0 }.encode();
    let got = guest.get(IPPROTO_SCTP, SCTP_GET_PEER_ADDRS, &peers).expect("addresses");
    assert_eq!(decode_all(&got[GetAddrs::SIZE..]), Some(both[..1].to_vec()));
    let at_server = trio.server.comes_up();
    let texts: Vec<String> = (0..300).map(|index| index.to_string().repeat(700)).collect();
    for text in &texts {
        guest.send_on(number, 0, text).expect("it is connected");
    }
    for text in &texts {
        assert_eq!(trio.server.got_text(text), at_server);
    }
    // The other address may get an association of its own
    guest.send_to("127.0.0.3:5001", "another").expect("it listens");
    let second = guest.comes_up();
    assert_ne!(second, number);
    assert!(matches!(other.received(), Got::Change { state: SCTP_COMM_UP, .. }));
    other.got_text("another");
}

#[test]
fn unread_notifications_do_not_abort_a_closed_socket() {
    let trio = Trio::new();
    let Trio { server, clients: [client, other], .. } = trio;
    client.send_to(SERVER, "sent before close").expect("it listens");
    until(|| is_readable(&client));
    drop(client);
    let number = server.comes_up();
    assert_eq!(server.got_text("sent before close"), number);
    assert_eq!(server.received(), Got::Shutdown { of: number });
    assert_eq!(server.received(), Got::Change { of: number, state: SCTP_SHUTDOWN_COMP });
    drop(other);
}

#[test]
fn unread_notifications_after_a_message_that_was_read_do_not_abort_a_closed_socket() {
    let (trio, [first, _], [own, _]) = Trio::connected();
    let Trio { server, clients: [client, other], server_host, client_host, .. } = trio;
    server.send_on(first, 0, "read").expect("it is connected");
    assert_eq!(client.got_text("read"), own);
    let listener = server_host.many();
    listener.bind("127.0.0.1:5002").expect("it is free");
    listener.listen(1).expect("it is bound");
    client.send_to("127.0.0.1:5002", "another").expect("it listens");
    // The notification of the second association
    until(|| is_readable(&client));
    drop(client);
    assert_eq!(server.received(), Got::Shutdown { of: first });
    assert_eq!(server.received(), Got::Change { of: first, state: SCTP_SHUTDOWN_COMP });
    drop((server, other, listener, server_host, client_host));
}

fn is_readable(guest: &Guest) -> bool {
    let mut waits = [rustix::event::PollFd::new(&guest.fd, rustix::event::PollFlags::IN)];
    let now = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::event::poll(&mut waits, Some(&now)) == Ok(1)
}

#[test]
fn connect_opens_an_association_and_is_refused_for_one_that_is_there() {
    let trio = Trio::new();
    let client = &trio.clients[0];
    assert_eq!(client.connect(SERVER), Ok(()));
    let own = client.comes_up();
    assert_eq!(client.numbers(), [own]);
    assert_eq!(client.connect(SERVER), Err(libc::EISCONN));
    assert_eq!(client.connect("127.0.0.1:5002"), Err(libc::ECONNREFUSED));
    assert!(matches!(client.received(), Got::Change { state: SCTP_CANT_STR_ASSOC, .. }));
    assert_eq!(client.numbers(), [own]);
    assert_eq!(trio.clients[1].connect_later(SERVER), Err(libc::EINPROGRESS));
    trio.clients[1].comes_up();
    assert_eq!(client.send_to("127.0.0.1:5002", "refused"), Ok(0), "a notification tells it");
    assert!(matches!(client.received(), Got::Change { state: SCTP_CANT_STR_ASSOC, .. }));
    assert_eq!(client.error(), 0);
}

#[test]
fn a_message_may_have_the_parameters_of_its_new_association() {
    let trio = Trio::new();
    let init = InitMsg { num_ostreams: 3, ..InitMsg::default() };
    let sent = |stream| Sent {
        info: Some(SendInfo { stream, ..SendInfo::default() }),
        destination: Some(SERVER.parse().expect("an address")),
        init: Some(init),
        bytes: b"hello",
        ..Sent::default()
    };
    assert_eq!(trio.clients[0].transmit(&sent(3)), Err(libc::EINVAL), "there are streams 0 to 2");
    assert_eq!(trio.clients[0].transmit(&sent(2)), Ok(5));
    let own = trio.clients[0].comes_up();
    let mut status = Status { assoc_id: own, ..Status::default() };
    let bytes = trio.clients[0].get(IPPROTO_SCTP, SCTP_STATUS, &status.encode());
    status = Status::decode(&bytes.expect("a status")).expect("a status");
    assert_eq!((status.assoc_id, status.outstrms, status.state), (own, 3, SCTP_ESTABLISHED));
}

#[test]
fn messages_wait_for_an_association_that_is_being_opened() {
    // A UDP socket that does not answer
    let (_silent, udp) = silent("127.0.0.1");
    let host = Host::new(&["127.0.0.2"], udp);
    let client = host.many();
    assert_eq!(client.connect_later(SERVER), Err(libc::EINPROGRESS));
    assert_eq!(client.send_to(SERVER, "later"), Ok(5));
    let number = client.numbers()[0];
    assert_eq!(client.send_on(number, 0, "later too"), Ok(9));
    let asked = Status { assoc_id: number, ..Status::default() }.encode();
    let bytes = client.get(IPPROTO_SCTP, SCTP_STATUS, &asked).expect("a status");
    assert_eq!(Status::decode(&bytes).map(|it| it.state), Some(SCTP_COOKIE_WAIT));
    assert_eq!(client.connect(SERVER), Err(libc::EALREADY));
    drop(client);
    host.until(|daemon| daemon.sockets() == 0);
}

#[test]
fn options_apply_to_one_association_or_to_all_or_to_later_ones() {
    let (trio, [first, second], _) = Trio::connected();
    let server = &trio.server;
    let max = |assoc_id| {
        let asked = RtoInfo { assoc_id, ..RtoInfo::default() }.encode();
        let bytes = server.get(IPPROTO_SCTP, SCTP_RTOINFO, &asked)?;
        let rto = RtoInfo::decode(&bytes).expect("a value");
        assert_eq!(rto.assoc_id, assoc_id);
        Ok::<u32, i32>(rto.max)
    };
    let before = max(SCTP_FUTURE_ASSOC).expect("a value");
    let rto = |assoc_id| RtoInfo { assoc_id, max: 7_000, ..RtoInfo::default() }.encode();
    server.set(IPPROTO_SCTP, SCTP_RTOINFO, &rto(second)).expect("it is there");
    assert_eq!([max(first), max(second)], [Ok(before), Ok(7_000)]);
    for number in [SCTP_CURRENT_ASSOC, SCTP_ALL_ASSOC, 12_345, -1] {
        assert_eq!(server.set(IPPROTO_SCTP, SCTP_RTOINFO, &rto(number)), Err(libc::EINVAL));
        assert_eq!(max(number), Err(libc::EINVAL));
    }
    let context = |id| {
        let bytes = AssocValue { id, value: 0 }.encode();
        let bytes = server.get(IPPROTO_SCTP, SCTP_CONTEXT, &bytes).expect("a value");
        AssocValue::decode(&bytes).expect("a value").value
    };
    let set = |id, value| {
        server.set(IPPROTO_SCTP, SCTP_CONTEXT, &AssocValue { id, value }.encode()).expect("valid");
    };
    set(SCTP_CURRENT_ASSOC, 1);
    assert_eq!([first, second, SCTP_FUTURE_ASSOC].map(context), [1, 1, 0]);
    set(SCTP_ALL_ASSOC, 2);
    assert_eq!([first, second, SCTP_FUTURE_ASSOC].map(context), [2, 2, 2]);
    set(SCTP_FUTURE_ASSOC, 3);
    set(first, 4);
    assert_eq!([first, second, SCTP_FUTURE_ASSOC].map(context), [4, 2, 3]);
}

#[test]
fn a_path_is_found_by_the_address_of_its_peer_alone() {
    let (trio, _, [own, _]) = Trio::connected();
    let mut asked = PaddrInfo::default().encode();
    let address = encode(SERVER.parse().expect("an address"));
    asked[4..4 + address.len()].copy_from_slice(&address);
    let bytes = trio.clients[0].get(IPPROTO_SCTP, SCTP_GET_PEER_ADDR_INFO, &asked);
    let information = PaddrInfo::decode(&bytes.expect("a path")).expect("a path");
    assert_eq!((information.assoc_id, information.state), (own, SCTP_ACTIVE));
    let strange = encode("127.0.0.9:5001".parse().expect("an address"));
    asked[4..4 + strange.len()].copy_from_slice(&strange);
    let missing = trio.clients[0].get(IPPROTO_SCTP, SCTP_GET_PEER_ADDR_INFO, &asked);
    assert_eq!(missing, Err(libc::EINVAL));
}

#[test]
fn a_subscription_can_be_that_of_one_association() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    let quiet = Event { assoc_id: first, type_: SCTP_ASSOC_CHANGE, on: 0 };
    trio.server.set(IPPROTO_SCTP, SCTP_EVENT, &quiet.encode()).expect("valid");
    for (client, number) in trio.clients.iter().zip([own, other]) {
        client.send_on(number, SCTP_ABORT, "").expect("it is connected");
        until(|| client.numbers().is_empty());
    }
    assert_eq!(trio.server.received(), Got::Change { of: second, state: SCTP_COMM_LOST });
}

#[test]
fn an_idle_association_is_closed_after_the_time_of_autoclose() {
    let trio = Trio::new();
    let client = &trio.clients[0];
    client.set(IPPROTO_SCTP, SCTP_AUTOCLOSE, &1_u32.encode()).expect("one-to-many");
    let begin = std::time::Instant::now();
    client.send_to(SERVER, "hello").expect("it listens");
    let own = client.comes_up();
    assert_eq!(client.received(), Got::Change { of: own, state: SCTP_SHUTDOWN_COMP });
    assert!(begin.elapsed().as_millis() >= 1000, "{:?}", begin.elapsed());
    let one = trio.client_host.socket();
    let refused = one.set(IPPROTO_SCTP, SCTP_AUTOCLOSE, &1_u32.encode());
    assert_eq!(refused, Err(libc::EOPNOTSUPP));
    assert_eq!(one.get(IPPROTO_SCTP, SCTP_GET_ASSOC_NUMBER, &[]), Err(libc::EOPNOTSUPP));
}

#[test]
fn an_association_that_only_receives_is_not_idle() {
    // A busy machine may pause longer than the association may be idle, so that pauses are measured
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(300) {
        if receives_longer_than_autoclose() {
            return;
        }
    }
    panic!("the machine paused for a second in each attempt of five minutes");
}

/// Sends messages for longer than the time of autoclose to a program that sends none; returns false without a check if
/// a pause was too long.
fn receives_longer_than_autoclose() -> bool {
    let trio = Trio::new();
    let client = &trio.clients[0];
    trio.server.set(IPPROTO_SCTP, SCTP_AUTOCLOSE, &2_u32.encode()).expect("one-to-many");
    let (begin, mut last) = (Instant::now(), Instant::now());
    client.send_to(SERVER, "hello").expect("it listens");
    let own = client.comes_up();
    let number = trio.server.comes_up();
    assert_eq!(trio.server.got_text("hello"), number);
    while begin.elapsed() < Duration::from_millis(2500) {
        let is_open = client.send_on(own, 0, "more").is_ok();
        let got = is_open.then(|| trio.server.received());
        if last.elapsed() > Duration::from_secs(1) {
            return false;
        }
        assert_eq!(got, Some(Got::Text { from: number, text: "more".to_owned() }));
        last = Instant::now();
        std::thread::sleep(Duration::from_millis(100));
    }
    true
}

#[test]
fn the_parts_of_a_message_follow_each_other_beside_messages_of_other_peers() {
    let udp = free_port();
    let host = Host::new(&["127.0.0.1"], udp);
    let server = Guest::open_as(&host.path, libc::AF_INET, libc::SOCK_SEQPACKET).expect("a socket");
    server.bind(SERVER).expect("it is free");
    server.listen(5).expect("it is bound");
    let peers = [2, 3].map(|last| std::thread::spawn(move || send_long_messages(last, udp)));
    // All messages have arrived before the first one is read, so that both associations deliver at the same time
    for peer in peers {
        peer.join().expect("no panic").expect("it is shut down");
    }
    let (mut within, mut messages) = (None, 0);
    while messages < 2 * LONG_MESSAGES {
        let (bytes, _) = read(&server.fd, RecvFlags::empty()).expect("a record");
        let Ok(Answer::Data(part)) = Answer::decode(&bytes) else { panic!("it has no data") };
        assert!(within.is_none_or(|number| number == part.association), "within a message");
        within = (!part.end_of_record).then_some(part.association);
        messages += usize::from(part.end_of_record);
    }
}

/// Sends messages that are larger than a record from 127.0.0.`last`.
fn send_long_messages(last: u8, udp: u16) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let local = [IpAddr::from([127, 0, 0, last])];
        let endpoint = Endpoint::builder().local(local).encapsulation(udp).bind(0).await?;
        let peer = Peer::new([IpAddr::from([127, 0, 0, 1])], 5001);
        let association = endpoint.connect(peer.encapsulation(udp)).await?;
        for _ in 0..LONG_MESSAGES {
            association.send(Message::new(vec![b'x'; 2 * LARGEST_MESSAGE + 1])).await?;
        }
        association.shutdown().await
    })
}

/// Messages of each peer.
const LONG_MESSAGES: usize = 2;

#[test]
fn a_full_association_stops_its_peer_and_not_the_other_one() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    let limit = std::time::Duration::from_millis(300);
    for client in &trio.clients {
        let timeout = sockopt::Timeout::Send;
        sockopt::set_socket_timeout(&client.fd, timeout, Some(limit)).expect("valid");
    }
    let text = "x".repeat(100_000);
    let fill = |client: &Guest, number| {
        let mut sent = 0;
        for _ in 0..1000 {
            match client.send_on(number, 0, &text) {
                Ok(_) => sent += 1,
                Err(errno) => {
                    assert_eq!(errno, libc::EAGAIN);
                    // The buffers have 4 MB each. Before they are full, the machine is busy
                    if sent > 40 {
                        return sent;
                    }
                }
            }
        }
        panic!("{sent} messages of 100 kB wait somewhere")
    };
    // The server reads nothing meanwhile
    let sent = [fill(&trio.clients[0], own), fill(&trio.clients[1], other)];
    let mut received = [0; 2];
    while received != sent {
        let from = trio.server.got_text(&text);
        received[usize::from(from == second)] += 1;
        assert!(from == first || from == second);
    }
}

#[test]
fn a_full_association_does_not_delay_the_end_of_the_others_when_the_socket_is_closed() {
    let (trio, [first, _], [own, other]) = Trio::connected();
    let Trio { server, clients, server_host, client_host, .. } = trio;
    let limit = std::time::Duration::from_millis(100);
    sockopt::set_socket_timeout(&server.fd, sockopt::Timeout::Send, Some(limit)).expect("valid");
    // The first client reads nothing
    let text = "x".repeat(100_000);
    let sent = (0..1000).take_while(|_| server.send_on(first, 0, &text).is_ok()).count();
    assert!(sent < 1000, "100 MB wait somewhere");
    drop(server);
    assert_eq!(clients[1].received(), Got::Shutdown { of: other });
    for _ in 0..sent {
        assert_eq!(clients[0].got_text(&text), own);
    }
    assert_eq!(clients[0].received(), Got::Shutdown { of: own });
    drop((clients, server_host, client_host));
}

#[test]
fn a_full_association_can_be_aborted_and_the_others_continue() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    let limit = std::time::Duration::from_millis(100);
    let timeout = sockopt::Timeout::Send;
    sockopt::set_socket_timeout(&trio.server.fd, timeout, Some(limit)).expect("valid");
    // The first client reads nothing
    let text = "x".repeat(100_000);
    let blocked = (0..1000).find_map(|_| trio.server.send_on(first, 0, &text).err());
    assert_eq!(blocked, Some(libc::EAGAIN));
    assert_eq!(trio.server.send_on(first, SCTP_ABORT, "enough"), Ok(0));
    until(|| trio.server.send_on(second, 0, "at last") == Ok(7));
    assert_eq!(trio.clients[1].got_text("at last"), other);
    assert_eq!(trio.server.received(), Got::Change { of: first, state: SCTP_COMM_LOST });
    while trio.clients[0].received() != (Got::Change { of: own, state: SCTP_COMM_LOST }) {}
}

#[test]
fn one_to_one_sockets_talk_with_one_to_many_ones() {
    let trio = Trio::new();
    let one = trio.client_host.socket();
    one.connect(SERVER).expect("it listens");
    let number = trio.server.comes_up();
    one.send(0, 0, b"question").expect("it is connected");
    assert_eq!(trio.server.got_text("question"), number);
    trio.server.send_on(number, 0, "answer").expect("it is connected");
    assert_eq!(one.text(), "answer");
    drop(one);
    assert_eq!(trio.server.received(), Got::Shutdown { of: number });
}

#[test]
fn a_socket_with_associations_may_begin_and_end_to_listen() {
    let (trio, ..) = Trio::connected();
    let client = &trio.clients[0];
    let name = client.name(Operation::SocketName).expect("a name");
    client.listen(1).expect("one-to-many");
    let value = client.get(libc::SOL_SOCKET, libc::SO_ACCEPTCONN, &[]).expect("a value");
    assert_eq!(i32::decode(&value), Some(1));
    let to = format!("127.0.0.2:{}", name.port());
    let peer = trio.server_host.many();
    assert_eq!(peer.send_to(&to, "hello"), Ok(5));
    let number = client.comes_up();
    assert_eq!(client.got_text("hello"), number);
    client.listen(0).expect("it listens");
    let late = trio.server_host.socket();
    assert_eq!(late.connect(&to), Err(libc::ECONNREFUSED));
    client.send_on(number, 0, "still there").expect("it is connected");
    peer.comes_up();
    peer.got_text("still there");
}

#[test]
fn a_message_without_association_fails() {
    let (trio, [first, _], [own, _]) = Trio::connected();
    let client = &trio.clients[0];
    assert_eq!(client.send_on(12_345, 0, "foreign"), Err(libc::EPIPE));
    // The other socket of the same daemon has it
    let foreign = trio.clients[1].numbers()[0];
    assert_eq!(client.send_on(foreign, 0, "foreign"), Err(libc::EPIPE));
    assert_eq!(client.send_on(foreign, SCTP_ABORT, ""), Err(libc::EPIPE));
    assert_eq!(client.send_on(own, SCTP_ADDR_OVER, "no address"), Err(libc::EINVAL));
    let far = Some(SendInfo { association: own, stream: 5_000, ..SendInfo::default() });
    let sent = Sent { info: far, bytes: b"no stream", ..Sent::default() };
    assert_eq!(client.transmit(&sent), Err(libc::EINVAL));
    let end = Some(SendInfo { flags: SCTP_EOF, ..SendInfo::default() });
    let unknown = "127.0.0.1:5002".parse().ok();
    let sent = Sent { info: end, destination: unknown, ..Sent::default() };
    assert_eq!(client.transmit(&sent), Err(libc::EINVAL), "there is nothing to end");
    client.send_with(None, b"to whom?").expect("the daemon reads it");
    assert_eq!(client.receive(), Read::Error(libc::EPIPE));
    client.send_on(own, 0, "unharmed").expect("it is connected");
    assert_eq!(trio.server.got_text("unharmed"), first);
}

#[test]
fn records_without_permission_reach_no_association_of_another_socket() {
    let (trio, _, [own, other]) = Trio::connected();
    for flags in [0, SCTP_ABORT, SCTP_EOF] {
        let info = SendInfo { association: other, flags, ..SendInfo::default() };
        let sent = Sent { info: Some(info), bytes: b"stolen", ..Sent::default() };
        let record = Request::Data(sent).encode();
        write(&trio.clients[0].fd, &record, None).expect("the daemon reads it");
    }
    trio.clients[0].send_on(own, 0, "first").expect("it is connected");
    trio.server.got_text("first");
    trio.clients[1].send_on(other, 0, "second").expect("it is connected");
    trio.server.got_text("second");
}

#[test]
fn a_malformed_record_aborts_the_associations_of_its_socket_alone() {
    let (trio, [first, second], [_, other]) = Trio::connected();
    write(&trio.clients[0].fd, &[0xff; HEAD], None).expect("the daemon reads it");
    assert_eq!(trio.server.received(), Got::Change { of: first, state: SCTP_COMM_LOST });
    trio.clients[1].send_on(other, 0, "unharmed").expect("it is connected");
    assert_eq!(trio.server.got_text("unharmed"), second);
    trio.client_host.until(|daemon| daemon.sockets() == 1);
}

#[test]
fn a_daemon_limits_the_associations_of_a_socket() {
    let udp = free_port();
    // The socket and one association
    let server_host = Host::with(&["127.0.0.1"], udp, |settings| settings.most_sockets = 2);
    let client_host = Host::new(&["127.0.0.2"], udp);
    let server = server_host.many();
    server.bind(SERVER).expect("it is free");
    server.listen(1).expect("it is bound");
    let clients = [client_host.many(), client_host.many()];
    clients[0].send_to(SERVER, "first").expect("it listens");
    let first = server.comes_up();
    server.got_text("first");
    clients[1].send_to(SERVER, "second").expect("it listens");
    let other = clients[1].comes_up();
    assert_eq!(clients[1].received(), Got::Change { of: other, state: SCTP_COMM_LOST });
    assert_eq!(server.numbers(), [first]);
}
