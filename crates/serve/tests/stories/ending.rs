//! Ends of sockets: the program closes them, the program is killed, or the peer ends the association.

use manypath_posix::abi::Layout;
use nix::libc;

use crate::guest::{Guest, Host, Pair, Read, free_port, silent, until};

#[test]
fn a_closed_socket_delivers_what_was_sent_and_then_the_end() {
    let Pair { opened, accepted, client, server, listener } = Pair::new();
    for number in 0..50_u8 {
        opened.send(0, 0, &[number; 10_000]).expect("it is connected");
    }
    drop(opened);
    for number in 0..50 {
        match accepted.receive() {
            Read::Message { bytes, .. } => assert_eq!(bytes, [number; 10_000]),
            read => panic!("{read:?}"),
        }
    }
    assert_eq!(accepted.receive(), Read::End);
    client.until(|daemon| daemon.sockets() == 0);
    drop((accepted, listener));
    server.until(|daemon| daemon.sockets() == 0);
}

#[test]
fn after_a_half_close_received_data_can_be_read() {
    let pair = Pair::new();
    pair.opened.send(0, 0, b"question").expect("it is connected");
    assert_eq!(pair.accepted.text(), "question");
    pair.accepted.send(0, 0, b"answer").expect("it is connected");
    until_readable(&pair.opened);
    pair.opened.shutdown(libc::SHUT_WR);
    assert_eq!(pair.opened.text(), "answer");
    assert_eq!(pair.opened.receive(), Read::End);
    assert_eq!(pair.accepted.receive(), Read::End);
    // The first message tells the program's descriptor, the second one the program
    until(|| pair.opened.send(0, 0, b"too late") == Err(libc::EPIPE));
}

#[test]
fn linger_with_a_time_of_zero_aborts() {
    let pair = Pair::new();
    let linger = [1_i32.encode(), 0_i32.encode()].concat();
    pair.opened.set(libc::SOL_SOCKET, libc::SO_LINGER, &linger).expect("valid");
    drop(pair.opened);
    assert_eq!(pair.accepted.receive(), Read::Error(libc::ECONNRESET));
    assert_eq!(pair.accepted.receive(), Read::End);
    assert_eq!(pair.accepted.error(), libc::ECONNRESET);
}

#[test]
fn unread_data_abort_the_association() {
    let pair = Pair::new();
    pair.accepted.send(0, 0, b"unread").expect("it is connected");
    until_readable(&pair.opened);
    drop(pair.opened);
    assert_eq!(pair.accepted.receive(), Read::Error(libc::ECONNRESET));
}

/// Waits until a record has arrived.
pub(crate) fn until_readable(guest: &Guest) {
    until(|| {
        let mut waits = [rustix::event::PollFd::new(&guest.fd, rustix::event::PollFlags::IN)];
        let now = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
        rustix::event::poll(&mut waits, Some(&now)) == Ok(1)
    });
}

#[test]
fn a_daemon_that_must_end_aborts_the_associations_of_open_sockets() {
    let pair = Pair::new();
    drop(pair.client);
    assert_eq!(pair.accepted.receive(), Read::Error(libc::ECONNRESET));
    // The program of the daemon that ended reads the end, not a message
    assert_eq!(pair.opened.receive(), Read::End);
}

#[test]
fn a_daemon_that_must_end_aborts_associations_whose_programs_have_closed_them() {
    let Pair { opened, accepted, client, server, listener } = Pair::new();
    // More than the receive buffer of the peer, which reads nothing, and less than both buffers
    for _ in 0..60 {
        opened.send(0, 0, &[7; 100_000]).expect("there is room");
    }
    drop(opened);
    client.until(|daemon| daemon.sockets() == 0);
    client.drains_at_once();
    let last = loop {
        match accepted.receive() {
            Read::Message { .. } => {}
            last => break last,
        }
    };
    assert_eq!(last, Read::Error(libc::ECONNRESET));
    drop((accepted, listener, client, server));
}

#[test]
fn a_closed_listening_socket_ends_associations_that_were_not_accepted() {
    let udp = free_port();
    let server = Host::new(&["127.0.0.1"], udp);
    let client = Host::new(&["127.0.0.2"], udp);
    let listener = server.listening("127.0.0.1:5001");
    let opened: Vec<Guest> = (0..3)
        .map(|_| {
            let guest = client.socket();
            guest.connect("127.0.0.1:5001").expect("it listens");
            guest
        })
        .collect();
    drop(listener);
    for guest in &opened {
        assert_eq!(guest.receive(), Read::End);
    }
    server.until(|daemon| daemon.sockets() == 0);
}

#[test]
fn a_program_may_die_in_any_state() {
    let (_silent, udp) = silent("127.0.0.1");
    let host = Host::new(&["127.0.0.2"], udp);
    let states: [fn(&Guest); 4] = [
        |_| (),
        |guest| guest.bind("127.0.0.2:7").expect("it is free"),
        |guest| guest.listen(1).expect("the UDP port is free"),
        |guest| {
            assert_eq!(guest.connect_later("127.0.0.1:7"), Err(libc::EINPROGRESS));
        },
    ];
    for reach in states {
        let guest = host.socket();
        reach(&guest);
        assert_eq!(host.daemon.sockets(), 1);
        drop(guest);
        host.until(|daemon| daemon.sockets() == 0);
    }
}

/// Descriptors are those of the whole process, so the test runs in a process of its own.
#[test]
fn a_thousand_sockets_leave_no_descriptor() {
    const NAME: &str = "ending::a_thousand_sockets_leave_no_descriptor";
    if std::env::var_os(ALONE).is_none() {
        let program = std::env::current_exe().expect("this program");
        let mut alone = std::process::Command::new(program);
        let done = alone.args(["--exact", NAME]).env(ALONE, "1").output().expect("it runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        return;
    }
    let udp = free_port();
    let server = Host::new(&["127.0.0.1"], udp);
    let client = Host::new(&["127.0.0.2"], udp);
    let listener = server.socket();
    listener.bind("127.0.0.1:5001").expect("it is free");
    listener.listen(100).expect("it is bound");
    let once = || {
        let opened = client.socket();
        opened.connect("127.0.0.1:5001").expect("it listens");
        let (accepted, _) = listener.accept().expect("it is connected");
        opened.send(0, 0, b"hello").expect("it is connected");
        assert_eq!(accepted.text(), "hello");
    };
    let descriptors = || std::fs::read_dir("/proc/self/fd").expect("proc(5)").count();
    let before = descriptors();
    for _ in 0..500 {
        once();
    }
    client.until(|daemon| daemon.sockets() == 0);
    server.until(|daemon| daemon.sockets() == 1);
    // The last associations are shut down in the background
    until(|| descriptors() <= before);
}

const ALONE: &str = "MANYPATH_TEST_ALONE";
