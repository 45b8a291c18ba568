//! Transfers over two subflows in namespaces, and the kernel's state of them.

use std::fs;
use std::time::{Duration, Instant};

use manypath_bpf::testbed::{Family, Network, Running, Transfer, counter, subflows};
use manypath_bpf::{ALGORITHMS, Loaded};

use crate::needs;
use crate::patience::{found, soon};

/// 10 Mbit/s with a queue of 40 packets.
const NARROW: &str = "rate 10mbit burst 3100 limit 60000";

/// A transfer over this link; its rate must not exceed that of the link.
struct Timed {
    running: Running,
    begin: Instant,
}

impl Timed {
    fn start(loaded: &Loaded, network: &Network) -> Self {
        let begin = Instant::now();
        Self { running: Transfer::new(loaded.name()).start(network).unwrap(), begin }
    }

    /// Ends the transfer after two seconds with at least `least` bit/s. Other load on the machine may slow the transfer
    /// down.
    fn stop_at_rate(self, least: f64) {
        found(&format!("two seconds with {least} bit/s"), || {
            let (begin, before) = (Instant::now(), self.running.received());
            std::thread::sleep(Duration::from_secs(2));
            let arrived = (self.running.received() - before) as f64;
            let rate = 8.0 * arrived / begin.elapsed().as_secs_f64();
            if rate >= least { Ok(()) } else { Err(rate) }
        });
        let received = self.running.stop().unwrap().received as f64;
        let carried = 10e6 / 8.0 * self.begin.elapsed().as_secs_f64();
        assert!(received < carried, "{received} bytes where the link carries {carried}");
    }
}

#[test]
fn two_subflows_share_an_entry_and_leave_nothing() {
    let Some(_turn) = needs::kernel() else { return };
    let lia = needs::load("lia");
    for family in [Family::V4, Family::V6] {
        let network = Network::shared(2, family, Some(NARROW)).unwrap();
        let transfer = Timed::start(&lia, &network);
        let slots = found("two subflows with losses, since the queue is short", || {
            let connections = lia.connections().unwrap();
            let [connection] = &connections[..] else { return Err(connections) };
            let slots: Vec<_> = connection.slots.iter().map(|(_, slot)| slot.clone()).collect();
            let is_sought = slots.len() == 2 && slots.iter().all(|slot| slot.losses > 0);
            if is_sought { Ok(slots) } else { Err(connections) }
        });
        let sockets = subflows(&network.sender, lia.name()).unwrap();
        transfer.stop_at_rate(8e6);

        assert_eq!(counter(&network.sender, "MPTcpExt", "MPJoinSynAckRx").unwrap(), 1);
        assert_eq!(sockets.len(), 2, "{family:?}: {sockets:#?}");
        for slot in &slots {
            assert_eq!(slot.remote.ip(), network.receiver_address());
            assert!(slot.window > 0 && slot.srtt > Duration::from_millis(1), "{slot:?}");
        }
        soon("the entry of the map is gone", || lia.connections().unwrap().is_empty());
    }
}

#[test]
fn every_algorithm_carries_a_transfer_over_two_subflows_and_is_unloaded() {
    let Some(_turn) = needs::kernel() else { return };
    for algorithm in ALGORITHMS {
        let loaded = needs::load(algorithm.name);
        let network = Network::shared(2, Family::V4, Some(NARROW)).unwrap();
        let transfer = Timed::start(&loaded, &network);
        let name = algorithm.name;
        found(&format!("two subflows of {name} with windows"), || {
            let slots: Vec<_> =
                loaded.connections().unwrap().into_iter().flat_map(|it| it.slots).collect();
            let is_sought = slots.len() == 2 && slots.iter().all(|(_, slot)| slot.window > 0);
            if is_sought { Ok(()) } else { Err(slots) }
        });
        assert_eq!(subflows(&network.sender, loaded.name()).unwrap().len(), 2, "{name}");
        transfer.stop_at_rate(7e6);
        soon("no connection is left", || loaded.connections().unwrap().is_empty());
        let kernel_name = loaded.name().to_owned();
        drop(loaded);
        // A process that another test starts holds a copy of the link until it executes its program.
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
