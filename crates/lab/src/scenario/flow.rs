//! One flow: a source, a sink, and one association or connection between them.

use manypath_core::Span;
use manypath_link::DocumentError;
use manypath_link::document::read_part;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::application::Application;
use super::sctp::SctpFlow;
use super::start::Start;
use super::tcp::{MptcpFlow, TcpFlow};

/// Defines a flow by groups of settings. Each setting has a doc comment, a name, a type and a default.
///
/// Settings that are fields of a protocol's `Config` as well are copied by name. A field of that type is no alternative,
/// because serde's `flatten` does not work with `deny_unknown_fields`.
macro_rules! define_flow {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty = $default:expr,)* }
        $($group:ident {
            $($(#[$more_doc:meta])* $more:ident: $more_type:ty = $more_default:expr,)*
        })*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            $($($(#[$more_doc])* pub $more: $more_type,)*)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* $($($more: $more_default,)*)* }
            }
        }
    };
}

pub(super) use define_flow;

/// A flow between two hosts of its own. Missing fields have the defaults of its protocol.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "transport", rename_all = "kebab-case")]
pub enum Flow {
    /// SCTP, with CMT over several paths.
    Sctp(SctpFlow),
    /// TCP.
    Tcp(TcpFlow),
    /// Multipath TCP.
    Mptcp(MptcpFlow),
}

impl Flow {
    /// Reads the flow called `name` from its part of a document; the default `transport` is SCTP.
    ///
    /// The protocol determines the fields, so it is read first, wherever it is in the document.
    pub(super) fn read(name: &str, mut fields: Map<String, Value>) -> Result<Self, DocumentError> {
        let transport = fields.remove("transport").unwrap_or_else(|| "sctp".into());
        let place = format!("flows.{name}");
        let fields = Value::Object(fields);
        match transport.as_str() {
            Some("sctp") => read_part(&place, fields).map(Self::Sctp),
            Some("tcp") => read_part(&place, fields).map(Self::Tcp),
            Some("mptcp") => read_part(&place, fields).map(Self::Mptcp),
            _ => {
                let field = format!("{place}.transport");
                let given = transport.as_str().map_or_else(|| transport.to_string(), str::to_owned);
                Err(DocumentError::unknown(field, &given, "transport", TRANSPORTS))
            }
        }
    }

    /// Paths by name, in order.
    #[must_use]
    pub fn paths(&self) -> &[String] {
        match self {
            Self::Sctp(flow) => &flow.paths,
            Self::Tcp(flow) => &flow.paths,
            Self::Mptcp(flow) => &flow.paths,
        }
    }

    /// Congestion control by name.
    #[must_use]
    pub fn cc(&self) -> &str {
        match self {
            Self::Sctp(flow) => &flow.cc,
            Self::Tcp(flow) => &flow.cc,
            Self::Mptcp(flow) => &flow.cc,
        }
    }

    /// The application of the flow.
    #[must_use]
    pub const fn app(&self) -> &Application {
        match self {
            Self::Sctp(flow) => &flow.app,
            Self::Tcp(flow) => &flow.app,
            Self::Mptcp(flow) => &flow.app,
        }
    }

    /// When the source opens the association or connection.
    #[must_use]
    pub const fn start(&self) -> Start {
        match self {
            Self::Sctp(flow) => flow.start,
            Self::Tcp(flow) => flow.start,
            Self::Mptcp(flow) => flow.start,
        }
    }

    /// Size of the source's send buffer: waiting and outstanding user data, in bytes.
    #[must_use]
    pub const fn send_buffer(&self) -> u64 {
        match self {
            Self::Sctp(flow) => flow.send_buffer,
            Self::Tcp(flow) => flow.send_buffer,
            Self::Mptcp(flow) => flow.send_buffer,
        }
    }

    /// Size of the sink's receive buffer: user data that waits for the application, in bytes.
    #[must_use]
    pub const fn receive_buffer(&self) -> u64 {
        match self {
            Self::Sctp(flow) => flow.receive_buffer,
            Self::Tcp(flow) => flow.receive_buffer,
            Self::Mptcp(flow) => flow.receive_buffer,
        }
    }

    /// The longest retransmission timeout.
    #[must_use]
    pub const fn longest_timeout(&self) -> Span {
        match self {
            Self::Sctp(flow) => flow.rto.max,
            Self::Tcp(flow) => flow.rto.max,
            Self::Mptcp(flow) => flow.rto.max,
        }
    }
}

impl From<SctpFlow> for Flow {
    fn from(flow: SctpFlow) -> Self {
        Self::Sctp(flow)
    }
}

impl From<TcpFlow> for Flow {
    fn from(flow: TcpFlow) -> Self {
        Self::Tcp(flow)
    }
}

impl From<MptcpFlow> for Flow {
    fn from(flow: MptcpFlow) -> Self {
        Self::Mptcp(flow)
    }
}

/// The protocols by name.
const TRANSPORTS: [&str; 3] = ["sctp", "tcp", "mptcp"];
