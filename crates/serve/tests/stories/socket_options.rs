//! Options that are stored without effect, values that are refused, and heartbeats.

use std::time::Duration;

use manypath_net::metrics::Source;
use manypath_posix::abi::Layout;
use manypath_posix::abi::address::encode;
use manypath_posix::abi::constants::*;
use manypath_posix::abi::message::InitMsg;
use manypath_posix::abi::option::{AssocParams, AssocValue, PaddrParams, RtoInfo, UdpEncaps};
use manypath_posix::record::{Answer, Call, Operation, Refused, Request};
use manypath_serve::{OPTIONS, Support};
use nix::libc;
use rustix::net::RecvFlags;

use crate::guest::{Guest, Host, Pair, free_port, plain, read, until, write};
use crate::many_guest::{SERVER, Trio};

/// What `setsockopt` answers: its error, what the daemon lacks, and the value that it refuses.
fn set(
    host: &Host,
    guest: &Guest,
    (level, option): (i32, i32),
    bytes: &[u8],
) -> (i32, Refused, i32) {
    let control = plain(&host.path);
    let call = Call { level, option, bytes, ..Call::new(Operation::SetOption) };
    write(&control, &Request::Call(call).encode(), Some(&guest.fd)).expect("the daemon runs");
    let (bytes, _) = read(&control, RecvFlags::empty()).expect("an answer");
    match Answer::decode(&bytes).expect("an answer") {
        Answer::Reply { errno, value, refused, .. } => (errno, refused, value),
        answer => panic!("{answer:?}"),
    }
}

fn value(guest: &Guest, level: i32, option: i32) -> Option<i32> {
    i32::decode(&guest.get(level, option, &[0; 4]).expect("it can be read"))
}

#[test]
fn options_without_effect_are_stored() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let guest = host.socket();
    let options = [libc::SO_KEEPALIVE, libc::SO_BROADCAST, libc::SO_OOBINLINE];
    for option in options {
        assert_eq!(value(&guest, libc::SOL_SOCKET, option), Some(0));
        guest.set(libc::SOL_SOCKET, option, &7_i32.encode()).expect("valid");
        assert_eq!(value(&guest, libc::SOL_SOCKET, option), Some(1));
        assert_eq!(guest.set(libc::SOL_SOCKET, option, &[1]), Err(libc::EINVAL));
    }
    guest.set(libc::SOL_SOCKET, libc::SO_BROADCAST, &0_i32.encode()).expect("valid");
    let now = options.map(|option| value(&guest, libc::SOL_SOCKET, option));
    assert_eq!(now, [Some(1), Some(0), Some(1)]);
    let other = host.socket();
    assert_eq!(value(&other, libc::SOL_SOCKET, libc::SO_KEEPALIVE), Some(0));
}

#[test]
fn a_value_without_effect_is_refused_by_name_and_the_present_one_is_not() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let guest = Guest::open(&host.path, libc::AF_INET6).expect("a socket");
    let ip = libc::IPPROTO_IP;
    let ipv6 = libc::IPPROTO_IPV6;
    for (level, option, refused) in [
        (libc::SOL_SOCKET, libc::SO_REUSEPORT, 1),
        (libc::SOL_SOCKET, libc::SO_PRIORITY, 6),
        (libc::SOL_SOCKET, libc::SO_MARK, -1),
        (libc::SOL_SOCKET, libc::SO_TIMESTAMP, 1),
        (ip, libc::IP_TOS, 0x10),
        (ip, libc::IP_TTL, 1),
        (ip, libc::IP_MTU_DISCOVER, 0),
        (ipv6, libc::IPV6_TCLASS, 0x10),
        (ipv6, libc::IPV6_UNICAST_HOPS, 1),
        (IPPROTO_SCTP, SCTP_DISABLE_FRAGMENTS, 1),
        (IPPROTO_SCTP, SCTP_FRAGMENT_INTERLEAVE, 2),
        (IPPROTO_SCTP, SCTP_I_WANT_MAPPED_V4_ADDR, 0),
        (IPPROTO_SCTP, SCTP_MAXSEG, 1200),
    ] {
        let done = set(&host, &guest, (level, option), &refused.encode());
        assert_eq!(done, (libc::EOPNOTSUPP, Refused::Value, refused), "{level} {option}");
        let present = value(&guest, level, option).expect("a number");
        let done = set(&host, &guest, (level, option), &present.encode());
        assert_eq!((done.0, done.1), (0, Refused::Nothing), "{level} {option}");
    }
    let done = set(&host, &guest, (ip, libc::IP_TOS), &[0x20]);
    assert_eq!(done, (libc::EOPNOTSUPP, Refused::Value, 0x20), "one byte is enough");
    let done = set(&host, &guest, (ip, libc::IP_TTL), &(-1_i32).encode());
    assert_eq!(done.0, 0, "the default of the system");
    let segment = AssocValue { id: 0, value: 1000 }.encode();
    let done = set(&host, &guest, (IPPROTO_SCTP, SCTP_MAXSEG), &segment);
    assert_eq!(done, (libc::EOPNOTSUPP, Refused::Value, 1000));
}

#[test]
fn options_of_ipv6_belong_to_sockets_of_ipv6() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let guest = host.socket();
    for option in [libc::IPV6_TCLASS, libc::IPV6_V6ONLY] {
        let done = set(&host, &guest, (libc::IPPROTO_IPV6, option), &1_i32.encode());
        assert_eq!(done, (libc::ENOPROTOOPT, Refused::Nothing, -1));
    }
}

#[test]
fn refused_options_are_named_with_their_error() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let guest = host.socket();
    let mut count = 0;
    for option in OPTIONS {
        if let Support::Refused(errno, _) = option.support {
            count += 1;
            let done = set(&host, &guest, (option.level, option.number), &[0; 64]);
            assert_eq!(done, (errno as i32, Refused::Option, -1), "{}", option.name);
        }
    }
    assert!(count > 30);
    let unknown = set(&host, &guest, (libc::IPPROTO_TCP, libc::TCP_NODELAY), &[0; 4]);
    assert_eq!(unknown, (libc::ENOPROTOOPT, Refused::Option, -1));
}

/// The flags of the paths of a socket.
fn path_parameters(guest: &Guest) -> PaddrParams {
    let bytes = PaddrParams::default().encode();
    let got = guest.get(IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &bytes).expect("valid");
    PaddrParams::decode(&got).expect("parameters")
}

#[test]
fn flags_of_paths_that_have_no_effect_are_refused_and_others_have_the_meaning_of_linux() {
    let pair = Pair::new();
    let (host, guest) = (&pair.client, &pair.opened);
    let option = (IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS);
    let try_flags = |flags, hbinterval, sackdelay| {
        let params = PaddrParams { flags, hbinterval, sackdelay, ..PaddrParams::default() };
        set(host, guest, option, &params.encode())
    };
    for flags in [SPP_PMTUD_DISABLE, SPP_HB_DEMAND, SPP_DSCP | SPP_HB_ENABLE] {
        let refused = flags.cast_signed() & !SPP_HB_ENABLE.cast_signed();
        assert_eq!(try_flags(flags, 0, 0), (libc::EOPNOTSUPP, Refused::Value, refused));
    }
    let both = try_flags(SPP_HB_ENABLE | SPP_HB_DISABLE, 0, 0);
    assert_eq!((both.0, both.1), (libc::EINVAL, Refused::Nothing));
    // A structure of an older header file has no room for these
    let params = PaddrParams { flags: SPP_DSCP, ..PaddrParams::default() };
    let old = set(host, guest, option, &params.encode()[..152]);
    assert_eq!((old.0, old.1), (libc::EINVAL, Refused::Nothing));
    // Without the flag, the interval does not count; with the flag, 0 keeps it
    let before = path_parameters(guest).hbinterval;
    assert_eq!(try_flags(SPP_HB_ENABLE, 0, 0).0, 0);
    assert_eq!(path_parameters(guest).hbinterval, before);
    assert_eq!(try_flags(0, 7000, 0).0, 0);
    assert_eq!(path_parameters(guest).hbinterval, before);
    assert_eq!(try_flags(SPP_HB_ENABLE, 7000, 0).0, 0);
    assert_eq!(path_parameters(guest).hbinterval, 7000);
    assert_eq!(try_flags(SPP_HB_ENABLE | SPP_HB_TIME_IS_ZERO, 5, 0).0, 0);
    assert_eq!(path_parameters(guest).hbinterval, 0);
    // Without heartbeats, their interval is kept
    assert_eq!(try_flags(SPP_HB_ENABLE, 9000, 0).0, 0);
    for (flags, seen) in [(SPP_HB_DISABLE, SPP_HB_DISABLE), (0, SPP_HB_DISABLE)] {
        assert_eq!(try_flags(flags, 0, 0).0, 0);
        let now = path_parameters(guest);
        assert_eq!((now.flags & 0x3, now.hbinterval), (seen, 9000));
    }
    assert_eq!(try_flags(SPP_HB_ENABLE, 0, 0).0, 0);
    let now = path_parameters(guest);
    assert_eq!((now.flags & 0x3, now.hbinterval), (SPP_HB_ENABLE, 9000));
    assert_eq!(try_flags(SPP_SACKDELAY_DISABLE, 0, 0).0, 0);
    assert_eq!(path_parameters(guest).flags & 0x60, SPP_SACKDELAY_DISABLE);
    assert_eq!(try_flags(SPP_SACKDELAY_ENABLE, 0, 123).0, 0);
    let now = path_parameters(guest);
    assert_eq!((now.flags & 0x60, now.sackdelay), (SPP_SACKDELAY_ENABLE, 123));
}

/// Packets that the endpoints of a daemon have received.
fn packets(host: &Host) -> u64 {
    let text = host.daemon.metrics();
    let lines = text.lines().filter_map(|line| {
        line.strip_prefix("manypath_endpoint_packets_received_total{")?.rsplit(' ').next()
    });
    lines.map(|count| count.parse::<u64>().expect("a number")).sum()
}

/// Timers are short, and answers that a busy machine delays end no association.
fn has_fast_heartbeats(guest: &Guest) {
    let fast = RtoInfo { initial: 20, max: 50, min: 20, ..RtoInfo::default() };
    guest.set(IPPROTO_SCTP, SCTP_RTOINFO, &fast.encode()).expect("valid");
    let often = AssocParams { asocmaxrxt: 10_000, ..AssocParams::default() };
    guest.set(IPPROTO_SCTP, SCTP_ASSOCINFO, &often.encode()).expect("valid");
    let init = InitMsg { max_attempts: 10_000, ..InitMsg::default() };
    guest.set(IPPROTO_SCTP, SCTP_INITMSG, &init.encode()).expect("valid");
}

/// Waits until the endpoints of a daemon receive nothing for a time in which many heartbeats would arrive.
fn until_silent(host: &Host) {
    until(|| {
        let before = packets(host);
        std::thread::sleep(Duration::from_millis(300));
        packets(host) == before
    });
}

#[test]
fn heartbeats_that_are_enabled_without_an_interval_have_that_of_the_daemon() {
    let host = Host::with(&["127.0.0.1"], free_port(), |settings| {
        settings.builder = settings.builder.clone().notice_dead_peers();
    });
    let guest = host.socket();
    for flags in [0, SPP_HB_ENABLE, SPP_HB_DISABLE, SPP_HB_ENABLE] {
        let params = PaddrParams { flags, ..PaddrParams::default() };
        guest.set(IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &params.encode()).expect("valid");
        assert_eq!(path_parameters(&guest).hbinterval, 2000);
    }
}

#[test]
fn heartbeats_are_disabled_before_and_during_an_association() {
    let pair = Pair::with(|guest| {
        has_fast_heartbeats(guest);
        let off = PaddrParams { flags: SPP_HB_DISABLE, ..PaddrParams::default() };
        guest.set(IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &off.encode()).expect("valid");
    });
    let set = |flags| {
        let params = PaddrParams { flags, ..PaddrParams::default() };
        pair.opened.set(IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &params.encode()).expect("valid");
    };
    until_silent(&pair.server);
    // One in each timeout of at most 50 ms
    set(SPP_HB_ENABLE | SPP_HB_TIME_IS_ZERO);
    let before = packets(&pair.server);
    until(|| packets(&pair.server) > before + 20);
    set(SPP_HB_DISABLE);
    until_silent(&pair.server);
    assert_eq!(path_parameters(&pair.opened).flags & SPP_HB_DISABLE, SPP_HB_DISABLE);
}

#[test]
fn heartbeats_of_a_one_to_many_socket_have_the_interval_that_was_set_before_the_association() {
    let trio = Trio::new();
    let client = &trio.clients[0];
    has_fast_heartbeats(client);
    let flags = SPP_HB_ENABLE | SPP_HB_TIME_IS_ZERO;
    let params = PaddrParams { flags, ..PaddrParams::default() };
    client.set(IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &params.encode()).expect("valid");
    client.send_to(SERVER, "hello").expect("it listens");
    client.comes_up();
    let before = packets(&trio.server_host);
    until(|| packets(&trio.server_host) > before + 20);
}

#[test]
fn an_address_of_an_unknown_family_is_none_of_the_peer() {
    let pair = Pair::new();
    for (option, length, offset) in [
        (SCTP_PEER_ADDR_PARAMS, PaddrParams::SIZE, 4),
        (SCTP_REMOTE_UDP_ENCAPS_PORT, UdpEncaps::SIZE, 8),
    ] {
        let with = |address: &[u8]| {
            let mut bytes = vec![0; length];
            bytes[offset..offset + address.len()].copy_from_slice(address);
            pair.opened.set(IPPROTO_SCTP, option, &bytes)
        };
        let peer = encode("127.0.0.1:5001".parse().expect("an address"));
        let other = encode("127.0.0.7:5001".parse().expect("an address"));
        let port = encode("127.0.0.1:5002".parse().expect("an address"));
        let any = encode("0.0.0.0:0".parse().expect("an address"));
        assert_eq!([with(&peer), with(&any), with(&[])], [Ok(()); 3]);
        // A family without address, and an address without family
        let family = 99_u16.to_ne_bytes();
        let no_family = [&[0; 2], &peer[2..]].concat();
        let wrong = [&other, &port, &family[..], &no_family].map(with);
        assert_eq!(wrong, [Err(libc::EINVAL); 4], "{option}");
        let many = pair.client.many();
        let mut bytes = vec![0; length];
        bytes[offset..offset + 2].copy_from_slice(&family);
        assert_eq!(many.set(IPPROTO_SCTP, option, &bytes), Err(libc::EINVAL), "{option}");
    }
}

#[test]
fn the_life_of_cookies_is_stored() {
    let host = Host::new(&["127.0.0.1"], free_port());
    let guest = host.socket();
    let get = || {
        let bytes = guest.get(IPPROTO_SCTP, SCTP_ASSOCINFO, &[0; AssocParams::SIZE]);
        AssocParams::decode(&bytes.expect("valid")).expect("parameters")
    };
    let before = get();
    let params = AssocParams { cookie_life: 12_000, ..AssocParams::default() };
    guest.set(IPPROTO_SCTP, SCTP_ASSOCINFO, &params.encode()).expect("valid");
    assert_eq!((get().cookie_life, get().asocmaxrxt), (12_000, before.asocmaxrxt));
    let params = AssocParams { asocmaxrxt: 3, ..AssocParams::default() };
    guest.set(IPPROTO_SCTP, SCTP_ASSOCINFO, &params.encode()).expect("valid");
    assert_eq!((get().cookie_life, get().asocmaxrxt), (12_000, 3));
}
