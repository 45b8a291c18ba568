//! Flows over TCP and Multipath TCP, with their settings.

use manypath_core::{RtoRule, Span};
use manypath_tcp::{Config, Recovery, Scheduler};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::application::Application;
use super::flow::define_flow;
use super::start::Start;

/// Gives `$macro` the settings that TCP and Multipath TCP share, after its own input. Those under `same` are fields of
/// [`Config`] as well.
macro_rules! with_shared_settings {
    ($macro:ident! { $($input:tt)* }) => {
        $macro! {
            $($input)*
            shared {
                /// Size of the source's send buffer for all subflows: waiting and outstanding user data, in bytes.
                send_buffer: u64 = 1_000_000,
                /// Size of the sink's receive buffer for all subflows: user data that waits for the application, in
                /// bytes.
                receive_buffer: u64 = 1_000_000,
                /// Computation and limits of the retransmission timeout.
                rto: TcpRto = TcpRto::default(),
                /// The application of the flow.
                app: Application = Application::default(),
                /// When the source opens the connection.
                start: Start = Start::default(),
            }
            same {
                /// Largest number of bytes after the TCP header in a segment, options included. RFC 9293 §3.7.1
                mss: u16 = 1460,
                /// Initial congestion window of each subflow in segments. RFC 6928
                initial_window: u32 = 10,
                /// Initial slow-start threshold of each subflow in segments; without it slow start continues until the
                /// first loss. RFC 5681 §3.1
                initial_threshold: Option<u32> = None,
                /// Smallest threshold, and smallest window after a fast retransmission, in segments. RFC 5681 §3.1
                smallest_window: u32 = 2,
                /// Use selective acknowledgements. RFC 2018
                sack: bool = true,
                /// Fast recovery without selective acknowledgements.
                recovery: Recovery = Recovery::NewReno,
                /// Number of full segments per acknowledgement. RFC 5681 §4.2
                ack_every: u32 = 2,
                /// Largest delay of an acknowledgement after the first unacknowledged segment. RFC 5681 §4.2
                ack_delay: Span = Span::from_millis(40),
                /// Send new data on the first two duplicate acknowledgements. RFC 3042
                limited_transmit: bool = true,
                /// Largest number of segments by which an acknowledgement opens the window in slow start. RFC 3465 §2.3
                abc_limit: u32 = 2,
            }
        }
    };
}

/// Defines the conversions to plain TCP and to the settings of an endpoint.
macro_rules! conversions {
    (
        shared { $($(#[$doc:meta])* $shared:ident: $type:ty = $default:expr,)* }
        same { $($(#[$same_doc:meta])* $same:ident: $same_type:ty = $same_default:expr,)* }
    ) => {
        impl MptcpFlow {
            /// The settings that TCP has too.
            #[must_use]
            pub fn tcp(&self) -> TcpFlow {
                let Self { paths, cc, option_bytes, $($shared,)* $($same,)* .. } = self.clone();
                TcpFlow { paths, cc, option_bytes, $($shared,)* $($same,)* }
            }
        }

        impl TcpFlow {
            /// `config` with the settings that are the same in both.
            pub(crate) fn applied_to(&self, config: Config) -> Config {
                Config { $($same: self.$same,)* ..config }
            }
        }
    };
}

with_shared_settings!(define_flow! {
    /// A TCP connection over one path, which is its only subflow. Missing fields have the values of
    /// [`TcpFlow::default`]: common settings of hosts, without options.
    ///
    /// The data is always in order, even if the application requests unordered messages.
    TcpFlow {
        /// The name of the path, as a list of one.
        paths: Vec<String> = Vec::new(),
        /// Congestion control by name.
        cc: String = "newreno".to_owned(),
        /// Bytes of options in every segment, except selective acknowledgements; they count in the MSS. A pure
        /// acknowledgement that reports gaps leaves room for one SACK block.
        option_bytes: u16 = 0,
    }
});

with_shared_settings!(define_flow! {
    /// A Multipath TCP connection. Missing fields have the values of [`MptcpFlow::default`]: those of TCP with coupled
    /// congestion control, and the options for data sequence numbers. RFC 8684
    ///
    /// The data is always in order, even if the application requests unordered messages.
    MptcpFlow {
        /// Paths by name, with one subflow each; the connection opens on the first.
        paths: Vec<String> = Vec::new(),
        /// Congestion control by name.
        cc: String = "lia".to_owned(),
        /// The subflow of the next data.
        scheduler: Scheduler = Scheduler::LowestRtt,
        /// Opportunistic retransmission: resend the data that blocks the receive window on another subflow. \[R12]
        opportunistic_retransmission: bool = false,
        /// Penalisation: halve the window of the subflow whose data blocks the receive window. \[R12]
        penalisation: bool = false,
        /// Bytes of options in every segment, except selective acknowledgements: the mapping of its data. They count in
        /// the MSS. A pure acknowledgement that reports gaps leaves room for one SACK block.
        option_bytes: u16 = 20,
    }
});

with_shared_settings!(conversions! {});

/// Computation and limits of the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpRto {
    /// Timeout before the first RTT sample.
    pub initial: Span,
    /// Smallest timeout; its further effects depend on the rule.
    pub min: Span,
    /// Largest timeout.
    pub max: Span,
    /// The rule that computes the timeout from RTT samples.
    pub rule: RtoRule,
}

impl Default for TcpRto {
    /// The initial value of RFC 6298, and Linux's rule and limits.
    fn default() -> Self {
        Self {
            initial: Span::from_secs(1),
            min: Span::from_millis(200),
            max: Span::from_secs(120),
            rule: RtoRule::Linux,
        }
    }
}
