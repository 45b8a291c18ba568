//! SCTP over real sockets: the state machine of [`manypath_sctp`], driven by tokio.
//!
//! An [`Endpoint`] owns one SCTP port on any number of local addresses, IPv4 and IPv6. Packets travel inside UDP
//! (RFC 6951). An [`Association`] connects two endpoints over all paths between them; it carries messages. The endpoints
//! of a [`Host`] share its UDP port.
//!
//! ```
//! use std::net::Ipv4Addr;
//!
//! use manypath_net::{Endpoint, Error, Message, Peer};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! // Two local addresses on each side make two paths
//! let addresses = [Ipv4Addr::new(127, 0, 0, 1), Ipv4Addr::new(127, 0, 0, 2)];
//! let builder = Endpoint::builder().local(addresses).encapsulation(0);
//! let server = builder.clone().listen(16).bind(0).await?;
//! let peer = Peer::new(addresses, server.port()).encapsulation(server.encapsulation_port());
//!
//! let serving = tokio::spawn(async move {
//!     let association = server.accept().await?;
//!     while let Some(message) = association.receive().await? {
//!         association.send(Message::new(message.payload).stream(message.stream)).await?;
//!     }
//!     Ok::<(), Error>(())
//! });
//!
//! let client = builder.bind(0).await?;
//! let association = client.connect(peer).await?;
//! association.send(Message::new("hello").stream(3)).await?;
//! let echo = association.receive().await?.expect("the peer is still there");
//! assert_eq!(echo.payload, "hello");
//! assert_eq!(association.paths().len(), 2);
//! association.shutdown().await?;
//! serving.await.unwrap()?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Stream`] of an association is read and written like a TCP connection:
//!
//! ```
//! use std::net::Ipv4Addr;
//!
//! use manypath_net::{Endpoint, Peer};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let builder = Endpoint::builder().local([Ipv4Addr::LOCALHOST]).encapsulation(0);
//! let server = builder.clone().listen(16).bind(0).await?;
//! let client = builder.bind(0).await?;
//! let peer = Peer::new([Ipv4Addr::LOCALHOST], server.port());
//! let peer = peer.encapsulation(server.encapsulation_port());
//!
//! let (connected, accepted) = tokio::join!(client.connect(peer), server.accept());
//! let mut ours = connected?.stream(0)?;
//! let mut theirs = accepted?.stream(0)?;
//! ours.write_all(b"as with TCP").await?;
//! let mut word = [0; 2];
//! theirs.read_exact(&mut word).await?;
//! assert_eq!(&word, b"as");
//! # Ok(())
//! # }
//! ```

mod association;
mod blocked;
mod bound_address;
mod builder;
mod capture;
mod counters;
mod driver;
mod endpoint;
mod error;
mod event_log;
mod events;
mod host;
mod inquiries;
mod message;
pub mod metrics;
mod options;
mod path;
mod paths;
mod peer;
mod settings;
mod shared_file;
pub mod socket;
mod stream;

pub use association::{Association, Streams};
pub use blocked::blocked_seconds;
pub use bound_address::{BoundAddress, InvalidBoundAddress};
pub use builder::Builder;
pub use capture::Capture;
pub use counters::Counters;
pub use endpoint::Endpoint;
pub use error::Error;
pub use event_log::EventLog;
pub use events::{Event, Events};
pub use host::Host;
pub use inquiries::Adjustment;
pub use manypath_core::BlockedTime;
pub use manypath_events::Selection;
pub use manypath_pcapng::output_file;
pub use manypath_sctp::{Config, Part, PathState, PathStats, Stats};
pub use message::Message;
pub use path::Path;
pub use peer::Peer;
pub use stream::Stream;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
