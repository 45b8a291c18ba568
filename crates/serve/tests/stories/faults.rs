//! Programs that close a socket, are killed or stop reading during a call, and calls with any bytes.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use manypath_core::Streams;
use manypath_posix::abi::Layout;
use manypath_posix::abi::address::{encode, encode_all};
use manypath_posix::abi::constants::*;
use manypath_posix::record::{Call, Operation, Request};
use manypath_serve::OPTIONS;
use nix::libc;

use crate::ending::until_readable;
use crate::guest::{Guest, Host, PATIENCE, Pair, Read, free_port, plain, silent, write};

/// A pair with the smallest buffers.
fn small() -> Pair {
    Pair::with(|guest| {
        for option in [libc::SO_SNDBUF, libc::SO_RCVBUF] {
            guest.set(libc::SOL_SOCKET, option, &1_i32.encode()).expect("valid");
        }
    })
}

/// Sends messages until no buffer on the way has room; returns their number. That is the case if there is no room for 200
/// ms after at least `least` messages, since on a busy machine the daemon may be late.
fn fill(guest: &Guest, least: usize) -> usize {
    rustix::io::ioctl_fionbio(&guest.fd, true).expect("a socket");
    let (mut sent, mut last) = (0, Instant::now());
    while sent < least || last.elapsed() < Duration::from_millis(200) {
        match guest.send(0, 0, &[sent as u8; LENGTH]) {
            Ok(()) => (sent, last) = (sent + 1, Instant::now()),
            Err(errno) => {
                assert_eq!(errno, libc::EAGAIN);
                assert!(last.elapsed() < PATIENCE, "there is room for {sent} messages only");
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
    sent
}

const LENGTH: usize = 10_000;

#[test]
fn data_that_arrive_after_the_close_cause_no_loss_of_sent_data() {
    let Pair { server: _server, client: _client, listener: _listener, opened, accepted } = small();
    // Some data wait in the program's descriptor
    let sent = fill(&opened, 400_000 / LENGTH + 1);
    drop(opened);
    accepted.send(0, 0, b"crossing").expect("it is connected");
    // It arrives, and cannot be delivered
    std::thread::sleep(Duration::from_millis(100));
    for number in 0..sent {
        match accepted.receive() {
            Read::Message { bytes, .. } => assert_eq!(bytes, [number as u8; LENGTH]),
            read => panic!("{read:?} instead of message {number} of {sent}"),
        }
    }
    assert_eq!(accepted.receive(), Read::End);
}

#[test]
fn a_program_killed_with_unread_data_aborts_although_its_own_data_wait_for_the_peer() {
    let Pair { server: _server, client, listener: _listener, opened, accepted } = small();
    accepted.send(0, 0, b"unread").expect("it is connected");
    until_readable(&opened);
    fill(&opened, 0);
    drop(opened);
    client.until(|daemon| daemon.sockets() == 0);
    let end = loop {
        match accepted.receive() {
            Read::Message { .. } => {}
            end => break end,
        }
    };
    assert_eq!(end, Read::Error(libc::ECONNRESET));
}

#[test]
fn programs_that_die_before_their_socket_exists_leave_nothing() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let open = Request::Open { domain: libc::AF_INET, kind: libc::SOCK_STREAM, protocol: 132 };
    for _ in 0..200 {
        let fd = plain(&host.path);
        write(&fd, &open.encode(), Some(&fd)).expect("the daemon runs");
    }
    let last = host.socket();
    host.until(|daemon| daemon.sockets() == 1);
    drop(last);
}

#[test]
fn a_program_that_is_killed_while_it_connects_leaves_no_state() {
    let (_silent, udp) = silent("127.0.0.1");
    let host = Host::new(&["127.0.0.2"], udp);
    let guest = host.socket();
    let control = plain(&host.path);
    let bytes = encode("127.0.0.1:7".parse().expect("an address"));
    let call = Request::Call(Call { bytes: &bytes, ..Call::new(Operation::Connect) });
    write(&control, &call.encode(), Some(&guest.fd)).expect("the daemon runs");
    std::thread::sleep(Duration::from_millis(50));
    drop((control, guest));
    host.until(|daemon| daemon.sockets() == 0);
}

#[test]
fn a_program_that_reads_no_more_still_sends() {
    let pair = small();
    rustix::net::shutdown(&pair.opened.fd, rustix::net::Shutdown::Read).expect("it is connected");
    pair.opened.shutdown(libc::SHUT_RD);
    assert_eq!(pair.opened.receive(), Read::End);
    for _ in 0..200 {
        // More than all buffers take
        pair.accepted.send(0, 0, &[0; LENGTH]).expect("it is discarded");
    }
    pair.opened.send(0, 0, b"still here").expect("it is connected");
    assert_eq!(pair.accepted.text(), "still here");
    drop(pair.opened);
    assert_eq!(pair.accepted.receive(), Read::End);
}

#[test]
fn a_program_that_reads_no_more_cannot_send_after_the_end() {
    let pair = Pair::new();
    rustix::net::shutdown(&pair.opened.fd, rustix::net::Shutdown::Read).expect("it is connected");
    pair.opened.shutdown(libc::SHUT_RD);
    pair.opened.send(0, 0, b"still here").expect("it is connected");
    assert_eq!(pair.accepted.text(), "still here");
    let linger = [1_i32.encode(), 0_i32.encode()].concat();
    pair.accepted.set(libc::SOL_SOCKET, libc::SO_LINGER, &linger).expect("valid");
    drop(pair.accepted);
    // No message is taken to find that out
    let hung_up = rustix::event::PollFlags::HUP;
    crate::guest::until(|| {
        let mut waits = [rustix::event::PollFd::new(&pair.opened.fd, hung_up)];
        let now = rustix::time::Timespec { tv_sec: 0, tv_nsec: 0 };
        rustix::event::poll(&mut waits, Some(&now)) == Ok(1) && waits[0].revents().contains(hung_up)
    });
    let error = pair.opened.send(0, 0, b"lost").expect_err("it has ended");
    assert!([libc::EPIPE, libc::ECONNRESET].contains(&error), "{error}");
}

/// Panics of this program's tasks, which tokio catches.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_of_test = panic.location().is_some_and(|at| is_of_test(at.file()));
        PANICS.fetch_add(usize::from(!is_of_test), Ordering::Relaxed);
        before(panic);
    }));
}

/// Whether a source file has tests: it is in the folder of this one.
fn is_of_test(file: &str) -> bool {
    Path::new(file).parent() == Path::new(file!()).parent()
}

/// Bytes that look random, and are the same for each seed.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut random = Streams::new(seed, 0).stream("noise");
    (0..length).map(|_| random.next_u64() as u8).collect()
}

/// Calls the options and operations of a socket with any bytes.
fn attack(guest: &Guest, seed: u64) {
    const LENGTHS: [usize; 10] = [0, 1, 3, 4, 8, 12, 32, 152, 156, 400];
    for (index, option) in OPTIONS.iter().enumerate() {
        for (number, length) in LENGTHS.into_iter().enumerate() {
            let seed = seed * 100_000 + (index * 100 + number) as u64;
            let mut bytes = noise(seed, length);
            if seed.is_multiple_of(3) {
                // Small numbers get further than large ones
                bytes.iter_mut().skip(1).step_by(2).for_each(|byte| *byte = 0);
            }
            for operation in [Operation::GetOption, Operation::SetOption] {
                let (level, option) = (option.level, option.number);
                let room = length as u32;
                let call = Call { level, option, room, bytes: &bytes, ..Call::new(operation) };
                let _ = guest.call(call);
            }
        }
    }
    for (seed, length) in [(1, 0), (2, 2), (3, 16), (4, 28), (5, 128)] {
        for operation in [Operation::Bind, Operation::SocketName, Operation::Accept] {
            let _ = guest.call(Call { bytes: &noise(seed, length), ..Call::new(operation) });
        }
    }
}

#[test]
fn no_call_harms_other_sockets_than_its_own() {
    count_panics();
    // A panic of a test is none of the daemon. Nothing else tells where the daemon's files are
    std::panic::catch_unwind(|| panic!("on purpose")).expect_err("it panics");
    assert_eq!(PANICS.load(Ordering::Relaxed), 0);
    assert!(!is_of_test(&file!().replace("tests/stories/faults.rs", "src/daemon.rs")));
    let pair = Pair::new();
    let unbound = pair.client.socket();
    attack(&unbound, 1);
    attack(&pair.listener, 2);
    attack(&pair.opened, 3);
    let crowd: Vec<_> = (0..4000_u16).map(|at| ([127, 1, 1, 1], 1 + at).into()).collect();
    for count in [0, 1, 2, 300, crowd.len()] {
        let fresh = pair.client.socket();
        let all = encode_all(&crowd[..count]);
        for option in [SCTP_SOCKOPT_BINDX_ADD, SCTP_SOCKOPT_BINDX_REM, SCTP_SOCKOPT_CONNECTX] {
            assert!(fresh.set(IPPROTO_SCTP, option, &all).is_err(), "{option} with {count}");
        }
    }
    // Accepted sockets have the options of the listening one
    pair.listener.set(IPPROTO_SCTP, SCTP_EVENTS, &[0; 8]).expect("valid");
    let fresh = pair.client.socket();
    fresh.connect("127.0.0.1:5001").expect("the daemons work");
    let (accepted, _) = pair.listener.accept().expect("the daemons work");
    fresh.send(0, 0, b"unharmed").expect("it is connected");
    assert_eq!(accepted.text(), "unharmed");
    assert_eq!(PANICS.load(Ordering::Relaxed), 0);
}
