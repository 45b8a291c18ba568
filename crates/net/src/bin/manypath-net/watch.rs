//! Metrics and captures of the program's endpoint, as the command line asks for them.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use manypath_net::{Builder, Capture, Endpoint, metrics};
use tokio::net::TcpListener;

use crate::failure::Failure;

/// What is to be watched.
#[derive(Clone, Debug, Args)]
pub(crate) struct Watched {
    /// Serve counters as OpenMetrics text at http://ADDRESS:PORT/metrics; on 127.0.0.1 if no address is given.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = listen_address)]
    metrics: Option<SocketAddr>,
    /// Write all packets to a file that Wireshark and `manypath decode` open.
    #[arg(long, value_name = "FILE")]
    pcapng: Option<PathBuf>,
}

/// What watches an endpoint.
#[derive(Debug)]
pub(crate) struct Watch {
    metrics: Option<std::net::TcpListener>,
    capture: Option<(PathBuf, Capture)>,
}

impl Watch {
    /// Opens what is needed for it.
    pub(crate) fn begin(watched: Watched) -> Result<Self, Failure> {
        let metrics = watched.metrics.map(|address| {
            let refused = |error| Failure::input(format!("`--metrics` is {address}: {error}"));
            let listener = std::net::TcpListener::bind(address).map_err(refused)?;
            listener.set_nonblocking(true)?;
            Ok::<_, Failure>(listener)
        });
        let capture = watched.pcapng.map(|file| {
            let refused =
                |error| Failure::input(format!("`--pcapng` is {}: {error}", file.display()));
            let capture = Capture::create(&file).map_err(refused)?;
            Ok::<_, Failure>((file, capture))
        });
        Ok(Self { metrics: metrics.transpose()?, capture: capture.transpose()? })
    }

    /// Makes the endpoint, and watches it.
    pub(crate) async fn bind(&self, builder: Builder, port: u16) -> Result<Endpoint, Failure> {
        let builder = match &self.capture {
            Some((_, capture)) => builder.capture(capture.clone()),
            None => builder,
        };
        let endpoint = builder.bind(port).await?;
        if let Some(listener) = &self.metrics {
            let listener = TcpListener::from_std(listener.try_clone()?)?;
            tokio::spawn(metrics::serve(listener, endpoint.clone()));
        }
        Ok(endpoint)
    }

    /// Completes the files.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        let Some((file, capture)) = &self.capture else { return Ok(()) };
        let missed = capture.finish().map_err(|error| Failure::file(file, &error))?;
        if missed > 0 {
            eprintln!("warning: {}: the disk was too slow for {missed} packets", file.display());
        }
        Ok(())
    }
}

/// An address and a port, or a port of this machine alone.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let port = |text: &str| text.parse().ok().map(|port: u16| ([127, 0, 0, 1], port).into());
    let address = text.parse().ok().or_else(|| port(text));
    address.ok_or_else(|| "expected a port, or an address and a port as 192.0.2.1:9100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_on_the_loopback_address_unless_another_one_is_given() {
        let table =
            [("9100", "127.0.0.1:9100"), ("0.0.0.0:1", "0.0.0.0:1"), ("[::1]:2", "[::1]:2")];
        for (text, address) in table {
            assert_eq!(listen_address(text).map(|it| it.to_string()).as_deref(), Ok(address));
        }
        for text in ["", "65536", "localhost", "::1", "1.2.3.4", "-1"] {
            assert!(listen_address(text).is_err(), "{text}");
        }
    }
}
