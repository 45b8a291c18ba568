//! Transfers over two subflows in namespaces: what the kernel says about them.

mod needs;

use std::time::Duration;

use manypath_bpf::testbed::{Family, Network, Transfer, counter, subflows};
use manypath_bpf::{Algorithm, Loaded, Object};

/// 10 Mbit/s and room for 40 packets.
const NARROW: &str = "rate 10mbit burst 3100 limit 60000";

#[test]
fn two_subflows_know_each_other_and_leave_nothing_behind() {
    if !needs::kernel() {
        return;
    }
    let lia = Loaded::load(&Object::from(Algorithm::by_name("lia").unwrap())).unwrap();
    for family in [Family::V4, Family::V6] {
        let network = Network::shared(2, family, Some(NARROW)).unwrap();
        let running = Transfer::new("mp_lia").start(&network).unwrap();
        std::thread::sleep(Duration::from_secs(4));
        let sockets = subflows(&network.sender, "mp_lia").unwrap();
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
        needs::soon("the entry of the map is gone", || lia.connections().unwrap().is_empty());
    }
}
