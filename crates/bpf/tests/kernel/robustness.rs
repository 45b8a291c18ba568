//! Many loads, many connections: nothing is left behind.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use libbpf_rs::query::{MapInfoIter, ProgInfoIter};
use manypath_bpf::testbed::{Family, Network, Transfer};
use manypath_bpf::{ALGORITHMS, Algorithm, Loaded, Object};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use socket2::{Domain, Protocol, Socket, Type};

use crate::needs;
use crate::patience::soon;

/// How many maps and programs of congestion control are in this kernel.
fn inhabitants() -> (usize, usize) {
    let maps = MapInfoIter::default().filter(|map| map.name.to_string_lossy().starts_with("mp_"));
    let programs = ProgInfoIter::default().filter(|it| it.ty == libbpf_rs::ProgramType::StructOps);
    (maps.count(), programs.count())
}

fn load_and_unload(times: usize) {
    let before = inhabitants();
    for turn in 0..times {
        let algorithm = &ALGORITHMS[turn % ALGORITHMS.len()];
        let loaded = Loaded::load(&Object::from(algorithm)).unwrap();
        assert!(inhabitants().0 > before.0, "{}", loaded.name());
    }
    // The kernel removes them when nobody can be looking any more.
    soon("maps and programs are gone", || inhabitants() == before);
}

#[test]
fn fifty_loads_and_unloads_leave_no_map_and_no_program() {
    let Some(_turn) = needs::turn() else { return };
    load_and_unload(50);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_loads_and_unloads_leave_no_map_and_no_program() {
    let Some(_turn) = needs::turn() else { return };
    load_and_unload(1000);
}

#[test]
fn a_thousand_connections_at_once_each_have_their_entry_and_take_it_along() {
    const COUNT: usize = 1000;
    let Some(_turn) = needs::turn() else { return };
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, most, most).unwrap();
    let lia = Loaded::load(&Object::from(Algorithm::by_name("lia").unwrap())).unwrap();
    let network = Network::shared(2, Family::V4, None).unwrap();
    let target = SocketAddr::new(network.receiver_address(), 5005);
    let listener = network.listen(target.port()).unwrap();
    let accepted = std::thread::spawn(move || {
        (0..COUNT).map(|_| listener.accept().unwrap().0).collect::<Vec<TcpStream>>()
    });
    let senders: Vec<TcpStream> = network.sender.inside(move || {
        let connect = |_| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::MPTCP)).unwrap();
            socket.set_tcp_congestion(b"mp_lia").unwrap();
            socket.connect(&target.into()).unwrap();
            let mut stream = TcpStream::from(socket);
            stream.write_all(&[0; 4096]).unwrap();
            stream
        };
        (0..COUNT).map(connect).collect()
    });
    let receivers = accepted.join().unwrap();
    soon("every connection has its entry", || lia.connections().unwrap().len() == COUNT);
    // A transfer among them finds its own.
    let busy = Transfer::new("mp_lia").for_time(Duration::from_secs(1)).run(&network).unwrap();
    assert!(busy.received > 10_000_000, "{busy:?}");
    drop((senders, receivers));
    soon("no entry is left", || lia.connections().unwrap().is_empty());
}
