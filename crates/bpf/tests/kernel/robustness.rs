//! Many loads and many connections leave no objects in the kernel.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;

use libbpf_rs::{MapCore, MapHandle, Program};
use manypath_bpf::testbed::{Family, Network, Transfer};
use manypath_bpf::{ALGORITHMS, Loaded};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use socket2::{Domain, Protocol, Socket, Type};

use crate::needs;
use crate::patience::soon;

/// The numbers of all maps and programs of an algorithm.
fn numbers(loaded: &Loaded) -> (Vec<u32>, Vec<u32>) {
    let maps = loaded.object().maps().map(|map| map.info().unwrap().info.id);
    // Programs that an algorithm does not use are not in the kernel.
    let programs = loaded.object().progs().filter_map(|it| Program::id_from_fd(it.as_fd()).ok());
    (maps.collect(), programs.collect())
}

fn load_and_unload(times: usize) {
    let (mut maps, mut programs) = (BTreeSet::new(), BTreeSet::new());
    for turn in 0..times {
        let loaded = needs::load(ALGORITHMS[turn % ALGORITHMS.len()].name);
        let (of_maps, of_programs) = numbers(&loaded);
        assert!(of_maps.len() >= 3 && of_programs.len() >= 6, "{of_maps:?} {of_programs:?}");
        maps.extend(of_maps);
        programs.extend(of_programs);
    }
    // The kernel removes them once they cannot be in use any more.
    soon("maps are gone", || maps.iter().all(|&id| MapHandle::from_map_id(id).is_err()));
    soon("programs are gone", || programs.iter().all(|&id| Program::fd_from_id(id).is_err()));
}

#[test]
fn fifty_loads_and_unloads_leave_no_map_and_no_program() {
    let Some(_turn) = needs::kernel() else { return };
    load_and_unload(50);
}

/// Detects a leak of one map or program per hundred loads, which fifty loads would not show.
#[test]
#[ignore = "long: takes minutes"]
fn a_thousand_loads_and_unloads_leave_no_map_and_no_program() {
    let Some(_turn) = needs::kernel() else { return };
    load_and_unload(1000);
}

#[test]
fn a_thousand_simultaneous_connections_each_have_an_entry_until_they_close() {
    const COUNT: usize = 1000;
    let Some(_turn) = needs::kernel() else { return };
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, most, most).unwrap();
    let lia = needs::load("lia");
    let network = Network::shared(2, Family::V4, None).unwrap();
    let target = SocketAddr::new(network.receiver_address(), 5005);
    let listener = network.listen(target.port()).unwrap();
    let accepted = std::thread::spawn(move || {
        (0..COUNT).map(|_| listener.accept().unwrap().0).collect::<Vec<TcpStream>>()
    });
    let name = lia.name().to_owned();
    let senders: Vec<TcpStream> = network.sender.inside(move || {
        let connect = |_| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::MPTCP)).unwrap();
            socket.set_tcp_congestion(name.as_bytes()).unwrap();
            socket.connect(&target.into()).unwrap();
            let mut stream = TcpStream::from(socket);
            stream.write_all(&[0; 4096]).unwrap();
            stream
        };
        (0..COUNT).map(connect).collect()
    });
    let receivers = accepted.join().unwrap();
    soon("every connection has its entry", || lia.connections().unwrap().len() == COUNT);
    // A transfer among them finds its own entry.
    let busy = Transfer::new(lia.name()).start(&network).unwrap();
    soon("10 MB have arrived", || busy.received() > 10_000_000);
    busy.stop().unwrap();
    drop((senders, receivers));
    soon("no entry is left", || lia.connections().unwrap().is_empty());
}
