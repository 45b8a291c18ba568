//! CMT-SCTP as a state machine without a clock or a socket. RFC 9260
//!
//! An [`Endpoint`] takes packets and the time, and returns packets and events; see [`manypath_core::SansIo`]. The
//! modules are `association` (setup, probing, shutdown), `send`, `receive`, `path` and `wire` (encoding).

#[macro_use]
mod coverage;
#[macro_use]
mod seeded_bugs;

mod association;
mod config;
mod endpoint;
mod entropy;
mod event;
mod packet;
mod path;
mod receive;
mod send;
mod stats;
mod wire;

#[cfg(feature = "soak")]
pub use coverage::{Hit, take as take_hits};
#[cfg(feature = "soak")]
pub use seeded_bugs::{SeededBug, switch as switch_bug};

pub use association::{AssociationState, Status};
pub use config::{
    BufferSplit, Burst, Config, CumAck, LimitingWindow, MtuDiscovery, PathBlocking, Rescheduling,
    RttSample, SackPath, SackRequest, SendOrder, SplitBy, T3Path, T3Reset, WindowOverrun,
    WindowProbe,
};
pub use endpoint::Endpoint;
pub use event::{
    AssociationId, CloseReason, Event, Message, Part, Received, SendError, SendOptions,
};
pub use packet::{
    CHUNK_HEADER, COMMON_HEADER, Cause, Control, Data, DataFlags, Heartbeat, HeartbeatInfo, Init,
    Offers, Packet, PacketDrop, Sack,
};
pub use path::{PathState, PathStats};
pub use stats::{ReorderStats, Stats, StreamStats};
pub use wire::{ChunkPlace, DecodeError, Rule, kind as chunk_type};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
