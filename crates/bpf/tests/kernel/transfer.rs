//! Transfers over two subflows in namespaces: what the kernel says about them.

use std::fs;
use std::time::Duration;

use manypath_bpf::ALGORITHMS;
use manypath_bpf::testbed::{Family, Network, Transfer, counter, subflows};

use crate::needs;
use crate::patience::soon;

/// 10 Mbit/s and room for 40 packets.
const NARROW: &str = "rate 10mbit burst 3100 limit 60000";

#[test]
fn two_subflows_know_each_other_and_leave_nothing_behind() {
    let Some(_turn) = needs::kernel() else { return };
    let lia = needs::load("lia");
    for family in [Family::V4, Family::V6] {
        let network = Network::shared(2, family, Some(NARROW)).unwrap();
        let running = Transfer::new(lia.name()).start(&network).unwrap();
        std::thread::sleep(Duration::from_secs(4));
        let sockets = subflows(&network.sender, lia.name()).unwrap();
        let connections = lia.connections().unwrap();
        let outcome = running.stop().unwrap();

        assert_eq!(counter(&network.sender, "MPTcpExt", "MPJoinSynAckRx").unwrap(), 1);
        assert_eq!(sockets.len(), 2, "{family:?}: {sockets:#?}");
        let [connection] = &connections[..] else { panic!("{family:?}: {connections:#?}") };
        assert_eq!(connection.slots.len(), 2, "{family:?}: {connection:#?}");
        for (_, slot) in &connection.slots {
            assert_eq!(slot.remote.ip(), network.receiver_address());
            assert!(slot.window > 0 && slot.srtt > Duration::from_millis(1), "{slot:?}");
            assert!(slot.losses > 0, "the queue is short: {slot:?}");
        }
        assert!((8e6..10e6).contains(&outcome.rate()), "{family:?}: {outcome:?}");
        soon("the entry of the map is gone", || lia.connections().unwrap().is_empty());
    }
}

#[test]
fn every_algorithm_carries_a_transfer_over_two_subflows_and_goes() {
    let Some(_turn) = needs::kernel() else { return };
    for algorithm in ALGORITHMS {
        let loaded = needs::load(algorithm.name);
        let network = Network::shared(2, Family::V4, Some(NARROW)).unwrap();
        let running = Transfer::new(loaded.name()).start(&network).unwrap();
        std::thread::sleep(Duration::from_secs(2));
        let name = algorithm.name;
        assert_eq!(subflows(&network.sender, loaded.name()).unwrap().len(), 2, "{name}");
        let slots: Vec<_> =
            loaded.connections().unwrap().into_iter().flat_map(|it| it.slots).collect();
        let outcome = running.stop().unwrap();
        assert_eq!(slots.len(), 2, "{name}: {slots:#?}");
        assert!(slots.iter().all(|(_, slot)| slot.window > 0), "{name}: {slots:#?}");
        assert!((7e6..10e6).contains(&outcome.rate()), "{name}: {outcome:?}");
        soon("no connection is left", || loaded.connections().unwrap().is_empty());
        let kernel_name = loaded.name().to_owned();
        drop(loaded);
        // A process that another test starts holds the link until it runs its own program.
        soon("the kernel knows no such algorithm", || !algorithms().contains(&kernel_name));
        let refused =
            Transfer::new(&kernel_name).over_tcp().to_port(5002).run(&network).unwrap_err();
        assert!(refused.to_string().contains("No such file"), "{name}: {refused}");
    }
}

/// The algorithms that sockets can choose.
fn algorithms() -> Vec<String> {
    let names = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    names.split_whitespace().map(str::to_owned).collect()
}
