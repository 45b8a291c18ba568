//! Endpoints of the test, as peers of a program or of each other.

use std::net::{IpAddr, Ipv4Addr};

use manypath_net::{Association, Builder, Endpoint, Message, Peer};

use crate::process::{PATIENCE, Process};

/// The loopback address 127.0.0.`last`.
pub(crate) fn loopback(last: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, last).into()
}

/// Both ends of an association, which the client opened.
pub(crate) struct Pair {
    pub(crate) client: Association,
    pub(crate) server: Association,
    /// Kept so that they stay open.
    _endpoints: [Endpoint; 2],
}

/// An association between two endpoints on these addresses; `change` modifies the settings of both.
pub(crate) async fn pair_on(
    client: &[IpAddr],
    server: &[IpAddr],
    change: impl Fn(Builder) -> Builder,
) -> Pair {
    let on = |local: &[IpAddr]| change(Endpoint::builder().local(local.to_vec()).encapsulation(0));
    let server = on(server).listen(1).bind(0).await.expect("the addresses are free");
    let client = on(client).bind(0).await.expect("the addresses are free");
    let peer = Peer::new(server.local_addresses(), server.port());
    let peer = peer.encapsulation(server.encapsulation_port());
    let (connected, accepted) = tokio::join!(client.connect(peer), server.accept());
    Pair {
        client: connected.expect("the server listens"),
        server: accepted.expect("the client connects"),
        _endpoints: [client, server],
    }
}

/// An endpoint on 127.0.0.11.
pub(crate) fn builder(udp: u16) -> Builder {
    Endpoint::builder().local([Ipv4Addr::new(127, 0, 0, 11)]).encapsulation(udp)
}

/// A program that has connected to an endpoint of the test.
pub(crate) struct Called {
    pub(crate) association: Association,
    pub(crate) program: Process,
    /// Kept so that it stays open.
    _endpoint: Endpoint,
}

impl Called {
    /// Starts a program with these arguments and the address of an endpoint that `change` configures.
    pub(crate) async fn by(words: &[&str], change: impl FnOnce(Builder) -> Builder) -> Self {
        let endpoint = change(builder(0)).listen(1).bind(5001).await.expect("a port is free");
        let udp = endpoint.encapsulation_port().to_string();
        let to = ["--bind", "127.0.0.1", "--to", "127.0.0.11", "--udp", &udp];
        let program = Process::start(words.iter().chain(&to));
        let association = soon(endpoint.accept()).await.expect("the program connects");
        Self { association, program, _endpoint: endpoint }
    }

    /// The payload of the next message.
    pub(crate) async fn hears(&self) -> Vec<u8> {
        soon(self.association.receive()).await.unwrap().expect("it goes on").payload.to_vec()
    }

    pub(crate) async fn says(&self, word: impl Into<Vec<u8>>) {
        soon(self.association.send(Message::new(word.into()))).await.unwrap();
    }

    /// Answers `send` up to the end of a file of one DATA message.
    pub(crate) async fn transfers_a_file(&self) {
        assert!(self.hears().await.starts_with(b"H"));
        self.says("R").await;
        assert!(self.hears().await.starts_with(b"D"));
        assert!(self.hears().await.starts_with(b"E"));
    }

    /// Tells `send` that its file is verified, and waits until the program has succeeded. Returns the number of
    /// duplicate chunks that had arrived before.
    pub(crate) async fn tell_verified(self) -> u64 {
        let duplicates = self.association.stats().duplicate_chunks;
        self.says("V").await;
        soon(self.association.closed()).await.unwrap();
        assert_eq!(self.program.wait().code, Some(0));
        duplicates
    }
}

/// An association between the test and a program that listens on 127.0.0.`last`.
pub(crate) async fn call(builder: Builder, last: u8, udp: u16) -> (Endpoint, Association) {
    let endpoint = builder.bind(0).await.expect("a port is free");
    let peer = Peer::new([IpAddr::from(Ipv4Addr::new(127, 0, 0, last))], 5001).encapsulation(udp);
    let association = soon(endpoint.connect(peer)).await.expect("it listens");
    (endpoint, association)
}

/// Limits the time of a future.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("done in time")
}
