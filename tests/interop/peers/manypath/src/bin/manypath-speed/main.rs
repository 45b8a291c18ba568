//! The speed of our own stack: bulk data, handshakes, and associations that stay open. `CONTRACT.md` says how.

mod bulk;
mod handshakes;
mod idle;

use manypath_net::{Association, Endpoint, Error};
use manypath_peer::settings;
use peer_contract::{Options, fail, refuse};

// One thread: endpoint and application wake each other without the system
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_default();
    let options = Options::read_from(words);
    let timeout = options.timeout;
    let work = async {
        match what.as_str() {
            "bulk" => bulk::run(&options).await,
            "handshakes" => handshakes::run(&options).await,
            "idle" => idle::run(&options).await,
            _ => refuse("mode", &what, "give bulk, handshakes or idle as the first word"),
        }
    };
    match tokio::time::timeout(timeout, work).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => fail(&error.to_string()),
        Err(_) => fail("the time is over"),
    }
}

/// The endpoints of this side, on ports that follow one another.
async fn endpoints(options: &Options) -> Result<Vec<Endpoint>, Error> {
    let mut endpoints = Vec::new();
    for number in 0..options.endpoints {
        let own = numbered(options, number);
        let builder = settings::builder(&own);
        let builder = if own.listen { builder.listen(usize::from(u16::MAX)) } else { builder };
        endpoints.push(builder.bind(own.port).await?);
    }
    Ok(endpoints)
}

/// Opens an association with one of the endpoints of the other side.
async fn connect(endpoint: &Endpoint, options: &Options, peer: u16) -> Result<Association, Error> {
    endpoint.connect(settings::peer(&numbered(options, peer))).await
}

/// The arguments with the ports of one of several endpoints. Each has a UDP port of its own, too.
fn numbered(options: &Options, number: u16) -> Options {
    let udp = options.udp.map(|port| port + number);
    Options { port: options.port + number, udp, ..options.clone() }
}
