//! Local addresses that are bound to interfaces.

use std::net::IpAddr;

use manypath_net::{Builder, Endpoint, Error};

use crate::namespace::{Namespace, cable};
use crate::stage::{echo, ip, on, soon, transfer, until};

/// The addresses, each bound to its interface.
fn bound(addresses: [IpAddr; 2]) -> Builder {
    let builder = addresses.into_iter().zip(["one", "two"]);
    builder.fold(on(&addresses), |builder, (address, name)| builder.interface(address, name))
}

#[test]
fn each_path_leaves_by_its_own_interface_within_one_subnet() {
    for is_raw in [false, true] {
        let (Some(left), Some(right)) = (Namespace::new(), Namespace::new()) else { return };
        // All four are in one subnet, whose route uses only the first interface
        cable(&left, "10.80.0.1", &right, "10.80.0.11", 24, "one");
        cable(&left, "10.80.0.2", &right, "10.80.0.12", 24, "two");
        let change =
            |builder: Builder| if is_raw { builder.without_encapsulation() } else { builder };
        std::thread::scope(|scope| {
            let (reached, reachable) = std::sync::mpsc::channel();
            let right = &right;
            scope.spawn(move || {
                let addresses = [ip("10.80.0.11"), ip("10.80.0.12")];
                right.run(async || echo(change(bound(addresses)), reached).await);
            });
            let peer = reachable.recv().unwrap();
            left.run(async || {
                let addresses = [ip("10.80.0.1"), ip("10.80.0.2")];
                let client = change(bound(addresses)).bind(0).await.unwrap();
                let association = soon(client.connect(peer.clone())).await.unwrap();
                let is_confirmed = || association.paths().iter().all(|path| path.stats.confirmed);
                until("both paths are confirmed", is_confirmed).await;
                for (path, link) in ["one", "two"].into_iter().enumerate() {
                    association.set_primary(path).unwrap();
                    let before = left.transmitted(link);
                    transfer(&association, &association, 300_000).await;
                    let sent = left.transmitted(link) - before;
                    assert!(sent > 300_000, "{sent} bytes by {link}");
                }
                soon(association.shutdown()).await.unwrap();
            });
        });
    }
}

#[tokio::test]
async fn an_interface_that_does_not_exist_is_named() {
    let builder = Endpoint::builder().encapsulation(0).interface(ip("127.0.0.1"), "eth77");
    let error = builder.bind(0).await.unwrap_err();
    assert!(matches!(error, Error::NoInterface(_)) && error.is_input());
    assert_eq!(error.to_string(), "this machine has no interface `eth77`");
}
