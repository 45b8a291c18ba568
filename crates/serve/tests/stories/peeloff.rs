//! Associations that get sockets of their own.

use manypath_posix::abi::Layout;
use manypath_posix::abi::constants::*;
use manypath_posix::record::{Call, HEAD, Operation};
use nix::libc;

use crate::guest::{Guest, Read, until};
use crate::many_guest::{Got, SERVER, Trio};

fn bytes_waiting(guest: &Guest) -> u64 {
    rustix::io::ioctl_fionread(&guest.fd).expect("a socket")
}

#[test]
fn unread_messages_follow_the_association_and_others_stay() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    for number in 0..3 {
        trio.clients[0].send_on(own, 0, &format!("first {number}")).expect("it is connected");
        trio.clients[1].send_on(other, 0, &format!("second {number}")).expect("it is connected");
    }
    let record = |text: &str| (HEAD + text.len()) as u64;
    let all = 3 * (record("first 0") + record("second 0"));
    until(|| bytes_waiting(&trio.server) == all);
    let peeled = trio.server.peel_off(first, 0).expect("it is there");
    assert_eq!(trio.server.numbers(), [second]);
    for number in 0..3 {
        assert_eq!(peeled.text(), format!("first {number}"));
        assert_eq!(trio.server.got_text(&format!("second {number}")), second);
    }
    trio.clients[0].send_on(own, 0, "later").expect("it is connected");
    assert_eq!(peeled.text(), "later");
    peeled.send(0, 0, b"answer").expect("it is connected");
    assert_eq!(trio.clients[0].got_text("answer"), own);
}

#[test]
fn a_message_that_was_read_in_part_is_continued() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    trio.clients[0].send_on(own, 0, "half and half").expect("it is connected");
    until(|| bytes_waiting(&trio.server) == (HEAD + 13) as u64);
    trio.clients[1].send_on(other, 0, "beside").expect("it is connected");
    until(|| bytes_waiting(&trio.server) == (2 * HEAD + 13 + 6) as u64);
    let peeled = trio.server.peel_off(first, HEAD as u32 + 4).expect("it is there");
    assert_eq!(peeled.text(), " and half");
    assert_eq!(trio.server.got_text("beside"), second);
}

#[test]
fn a_peeled_off_socket_is_one_to_one_with_the_type_of_its_origin() {
    let (trio, [first, _], [own, _]) = Trio::connected();
    let peeled = trio.server.peel_off(first, 0).expect("it is there");
    let kind = peeled.get(libc::SOL_SOCKET, libc::SO_TYPE, &[]).expect("a value");
    assert_eq!(i32::decode(&kind), Some(libc::SOCK_SEQPACKET));
    let client = trio.clients[0].name(Operation::SocketName).expect("a name");
    assert_eq!(peeled.name(Operation::PeerName).map(|it| it.port()), Ok(client.port()));
    assert_eq!(peeled.call(Call::new(Operation::Accept)), Err(libc::EOPNOTSUPP));
    assert_eq!(peeled.listen(1), Err(libc::EINVAL));
    assert_eq!(peeled.connect("127.0.0.2:7"), Err(libc::EISCONN));
    drop(peeled);
    assert_eq!(trio.clients[0].received(), Got::Shutdown { of: own });
}

#[test]
fn only_an_association_of_the_socket_can_be_peeled_off_and_once() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    let peel = |guest: &Guest, number| guest.peel_off(number, 0).map(|_| ());
    assert_eq!(peel(&trio.clients[0], other), Err(libc::EINVAL), "of another socket");
    for number in [SCTP_FUTURE_ASSOC, SCTP_CURRENT_ASSOC, SCTP_ALL_ASSOC, -1, 12_345] {
        assert_eq!(peel(&trio.server, number), Err(libc::EINVAL));
    }
    let peeled = trio.server.peel_off(first, u32::MAX).expect("it is there");
    assert_eq!(peel(&trio.server, first), Err(libc::EINVAL), "it is peeled off");
    assert_eq!(peel(&peeled, first), Err(libc::EINVAL), "it is one-to-one");
    assert_eq!(trio.server.send_on(first, 0, "elsewhere"), Err(libc::EPIPE));
    let one = trio.client_host.socket();
    assert_eq!(peel(&one, own), Err(libc::EINVAL));
    trio.server.send_on(second, 0, "unharmed").expect("it is connected");
    assert_eq!(trio.clients[1].got_text("unharmed"), other);
}

#[test]
fn the_peer_of_a_peeled_off_association_is_not_connected_twice() {
    let (trio, _, [own, _]) = Trio::connected();
    let peeled = trio.clients[0].peel_off(own, 0).expect("it is there");
    assert_eq!(trio.clients[0].send_to(SERVER, "again"), Err(libc::EADDRNOTAVAIL));
    assert_eq!(trio.clients[0].connect(SERVER), Err(libc::EADDRNOTAVAIL));
    drop(peeled);
    until(|| trio.clients[0].send_to(SERVER, "again") == Ok(5));
    trio.clients[0].comes_up();
}

#[test]
fn the_end_of_a_peeled_off_association_reaches_its_own_socket() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    let peeled = trio.server.peel_off(first, 0).expect("it is there");
    trio.clients[0].send_on(own, SCTP_ABORT, "enough").expect("it is connected");
    assert!(matches!(peeled.receive(), Read::Notification(_)), "SCTP_COMM_LOST");
    assert_eq!(peeled.receive(), Read::Error(libc::ECONNRESET));
    assert_eq!(peeled.receive(), Read::End);
    trio.clients[1].send_on(other, 0, "unharmed").expect("it is connected");
    assert_eq!(trio.server.got_text("unharmed"), second);
}

#[test]
fn a_full_queue_loses_nothing_when_an_association_is_peeled_off() {
    let (trio, [first, second], [own, other]) = Trio::connected();
    let text = |client: usize, number: usize| format!("{client} {number} {}", "x".repeat(30_000));
    // More than the queue of the descriptor holds, so that deliveries wait
    for number in 0..30 {
        trio.clients[0].send_on(own, 0, &text(0, number)).expect("it is connected");
        trio.clients[1].send_on(other, 0, &text(1, number)).expect("it is connected");
    }
    until(|| bytes_waiting(&trio.server) > 90_000);
    let peeled = trio.server.peel_off(first, 0).expect("it is there");
    for number in 0..30 {
        assert_eq!(trio.server.got_text(&text(1, number)), second);
        assert_eq!(peeled.text(), text(0, number));
    }
}
