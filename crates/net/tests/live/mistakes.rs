//! Mistakes of callers are reported in one line.

use std::net::IpAddr;

use manypath_net::{Endpoint, Error, Message, Peer};

use crate::stage::{loopback, on, pair};

async fn refusal(builder: manypath_net::Builder) -> String {
    let error = builder.bind(0).await.expect_err("it cannot be");
    assert!(error.is_input(), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn invalid_settings_of_an_endpoint_are_refused() {
    let taken = on(&[loopback(11)]).bind(0).await.unwrap();
    let port = taken.encapsulation_port();
    let again = Endpoint::builder().local([loopback(11)]).encapsulation(port);
    let text = format!("UDP port {port} of 127.0.0.11 is in use by another program");
    assert_eq!(refusal(again).await, text);
    let ip = |text: &str| -> IpAddr { text.parse().unwrap() };
    let cases = [
        (on(&[ip("203.0.113.7")]), "203.0.113.7 is not an address of this machine"),
        (on(&[ip("2001:db8::7")]), "2001:db8::7 is not an address of this machine"),
        (on(&[ip("fe80::dead")]), "fe80::dead is not an address of this machine"),
        (on(&[ip("0.0.0.0")]), "0.0.0.0 is not a unicast address"),
        (on(&[ip("224.0.0.1")]), "224.0.0.1 is not a unicast address"),
        (on(&[]).streams(0), "`outbound_streams` is 0, expected at least 1"),
        (on(&[]).buffers(10, 1 << 20), "`send_buffer` is 10, expected at least 1500"),
    ];
    for (builder, text) in cases {
        assert_eq!(refusal(builder).await, text);
    }
    let text = refusal(on(&[loopback(1)]).concurrent("cmt-rpv9")).await;
    assert!(text.starts_with("`congestion` is \"cmt-rpv9\", expected an existing "), "{text}");
    assert!(text.ends_with("did you mean \"cmt-rpv1\"?"), "{text}");
    drop(taken);
}

#[tokio::test]
async fn peers_that_cannot_be_reached() {
    let client = on(&[loopback(1)]).bind(0).await.unwrap();
    let ip = |text: &str| -> IpAddr { text.parse().unwrap() };
    let cases = [
        (Peer::new([ip("::1")], 7), "::1 cannot be reached from any local address of the endpoint"),
        (Peer::new([ip("255.255.255.255")], 7), "255.255.255.255 is not a unicast address"),
        (Peer::new([loopback(2)], 0), "`port` is 0, expected the SCTP port of the peer"),
        (
            Peer::new([loopback(2)], 7).encapsulation(0),
            "`encapsulation` is 0, expected the UDP port of the peer",
        ),
        (
            Peer::new(Vec::<IpAddr>::new(), 7),
            "`addresses` is empty, expected an address of the peer",
        ),
    ];
    for (peer, text) in cases {
        assert_eq!(client.connect(peer).await.unwrap_err().to_string(), text);
    }
    let error = client.accept().await.unwrap_err();
    assert_eq!(error.to_string(), "the endpoint does not listen: `Builder::listen` lets peers in");
}

#[tokio::test]
async fn messages_that_cannot_be_sent() {
    let pair = pair(|builder| builder.streams(4).buffers(50_000, 50_000)).await;
    let cases = [
        (
            Message::new("x").stream(4),
            "stream 4 does not exist: the association has 4 to send on, from 0",
        ),
        (Message::new(""), "a message needs at least one byte"),
        (
            Message::new(vec![0; 50_001]),
            "a message of 50001 bytes does not fit into a send buffer of 50000 bytes",
        ),
    ];
    for (message, text) in cases {
        assert_eq!(pair.client.send(message).await.unwrap_err().to_string(), text);
    }
    let error = pair.client.set_primary(1).unwrap_err();
    assert_eq!(error.to_string(), "`path` is 1, expected the number of a path, from 0");
    assert!(matches!(error, Error::Setting { .. }));
}
