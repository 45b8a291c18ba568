//! The rules on which the sources disagree: units, comparisons, rounding, floors, initial values.

use manypath_core::Span;

use crate::rounding;
use crate::{Cut, UnknownName};

/// The rules that all algorithms share, according to one source.
///
/// Three rules are equal in all sources of the profiles and are therefore not fields: a window counts as used if the
/// outstanding bytes *before* the SACK reached it, partial bytes are counted in every SACK outside of fast recovery,
/// and T3 sets the window to one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Name in scenarios.
    pub name: &'static str,
    /// The source of the rules, in one line.
    pub summary: &'static str,
    /// The size of one segment, which is the unit of window growth.
    pub unit: Unit,
    /// The bytes that a DATA chunk counts in windows, outstanding bytes and partial bytes.
    pub counting: Counting,
    /// Whether slow start continues at c = s: `c <= s`; else only while `c < s` (\[D11]).
    pub slow_start_at_threshold: bool,
    /// Whether congestion avoidance steps at p = c: `p >= c`; else only when `p > c` (\[D12]).
    pub step_at_window: bool,
    /// The largest growth by one SACK in slow start, in units (L of RFC 3465).
    pub slow_start_limit: u64,
    /// When windows grow in congestion avoidance.
    pub stepping: Stepping,
    /// The handling of the partial bytes.
    pub partial: PartialBytes,
    /// How half of a window is rounded to whole bytes.
    pub half: HalfRounding,
    /// Whether the bytes that a cut removes are rounded up, c − ⌈d·c⌉ (\[D11] §III-B.2); else down, ⌈c − d·c⌉.
    pub cut_rounds_up: bool,
    /// The smallest windows after a cut.
    pub floors: Floors,
    /// The window of a new path.
    pub initial_window: InitialWindow,
    /// Whether the slow-start threshold of a new path is the peer's window; else the path has none.
    pub threshold_from_peer: bool,
    /// The effect of one retransmission timeout without sending.
    pub idle: Idle,
    /// The unit of round-trip times in the formulas.
    pub rtt_unit: RttUnit,
    /// The round-trip time of a path without a sample. If `None`, the path is not in the sums and grows by an equal
    /// share.
    pub assumed_rtt: Option<Span>,
    /// Whether paths that are not confirmed or have failed are in the sums.
    pub couples_inactive_paths: bool,
}

impl Profile {
    /// SCTP according to RFC 9260 §7.2.
    pub const RFC9260: Self = Self {
        name: "rfc9260",
        summary: "SCTP as standardised: chunks count with header and padding",
        unit: Unit::Pmdcs,
        counting: Counting::Chunk,
        slow_start_at_threshold: true,
        step_at_window: true,
        slow_start_limit: 1,
        stepping: Stepping::PerWindow,
        partial: PartialBytes {
            after_step: PartialAfterStep::LessOldWindow,
            cleared_in_slow_start: false,
            limited_when_unused: true,
        },
        half: HalfRounding::Down,
        cut_rounds_up: true,
        floors: Floors { plain: 4.0, pooled: 4.0, linked: 1.0 },
        initial_window: InitialWindow {
            units: 4,
            at_least_v4: 4404,
            at_least_v6: 4344,
            divided: false,
        },
        threshold_from_peer: false,
        idle: Idle::HalveAndRemember,
        rtt_unit: RttUnit::Seconds,
        assumed_rtt: None,
        couples_inactive_paths: false,
    };

    /// The formulas of \[D11] and \[D12] with their segments of user data; RFC 9260 for everything that they do not
    /// specify.
    pub const PAPER: Self = Self {
        name: "paper",
        summary: "the papers' formulas: user data counts, segments of user data",
        unit: Unit::Mss,
        counting: Counting::Payload,
        floors: Floors { plain: 4.0, pooled: 4.0, linked: 4.0 },
        initial_window: InitialWindow {
            units: 4,
            at_least_v4: 4380,
            at_least_v6: 4380,
            divided: false,
        },
        threshold_from_peer: true,
        idle: Idle::Halve,
        ..Self::RFC9260
    };

    /// The accounting of the simulator that produced the figures of \[D10], \[D11] and \[D12]: INET.
    pub const INET: Self = Self {
        name: "inet",
        summary: "the simulator behind the papers' figures: user data counts, segments of a whole MTU",
        unit: Unit::Mtu,
        counting: Counting::Payload,
        partial: PartialBytes {
            after_step: PartialAfterStep::BeyondNewWindow,
            cleared_in_slow_start: true,
            limited_when_unused: false,
        },
        half: HalfRounding::ToEven,
        cut_rounds_up: false,
        floors: Floors { plain: 4.0, pooled: 1.0, linked: 1.0 },
        initial_window: InitialWindow {
            units: 4,
            at_least_v4: 4380,
            at_least_v6: 4380,
            divided: true,
        },
        threshold_from_peer: true,
        idle: Idle::Restart,
        rtt_unit: RttUnit::EighthMilliseconds,
        assumed_rtt: Some(Span::from_secs(3)),
        couples_inactive_paths: true,
        ..Self::RFC9260
    };

    /// TCP: RFC 5681 with the byte counting of RFC 3465 and the initial window of RFC 6928.
    ///
    /// It is not a profile of SCTP and therefore not in [`ALL`](Self::ALL).
    pub const TCP: Self = Self {
        name: "tcp",
        summary: "TCP as standardised: every acknowledgement grows the window",
        unit: Unit::TcpSegment,
        counting: Counting::Payload,
        slow_start_at_threshold: false,
        slow_start_limit: 2,
        stepping: Stepping::PerAck,
        floors: Floors::all(2.0),
        initial_window: InitialWindow {
            units: 10,
            at_least_v4: 14_600,
            at_least_v6: 14_600,
            divided: false,
        },
        idle: Idle::LowerToInitial,
        ..Self::RFC9260
    };

    /// All profiles of SCTP.
    pub const ALL: [Self; 3] = [Self::RFC9260, Self::PAPER, Self::INET];

    /// The profile called `name`.
    ///
    /// # Errors
    /// If there is none; the error contains the most similar name.
    pub fn by_name(name: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.iter().find(|profile| profile.name == name);
        known.copied().ok_or_else(|| {
            UnknownName::new("accounting profile", name, Self::ALL.map(|profile| profile.name))
        })
    }

    /// One segment on an IPv4 path whose packets have up to `mtu` bytes.
    #[must_use]
    pub const fn unit(&self, mtu: u64) -> u64 {
        self.segment(mtu, IpVersion::V4).unit
    }

    /// One segment on a path whose packets have up to `mtu` bytes.
    #[must_use]
    pub const fn segment(&self, mtu: u64, ip: IpVersion) -> Segment {
        let packet = mtu - ip.header_bytes();
        let unit = match self.unit {
            Unit::Mtu => mtu,
            Unit::Pmdcs => packet - COMMON_HEADER,
            Unit::Mss => packet - COMMON_HEADER - DATA_HEADER,
            Unit::TcpSegment => packet - TCP_HEADER,
        };
        Segment { unit, ip }
    }

    /// Bytes that a DATA chunk with `payload` bytes of user data counts.
    #[must_use]
    pub const fn count(&self, payload: u64) -> u64 {
        match self.counting {
            Counting::Payload => payload,
            Counting::Chunk => Self::padded(DATA_HEADER + payload),
        }
    }

    /// `bytes` with the padding of a chunk: the next multiple of four (RFC 9260 §3.2).
    #[must_use]
    pub const fn padded(bytes: u64) -> u64 {
        bytes.next_multiple_of(4)
    }

    /// The initial window of a path in a group of `paths` paths, bytes.
    #[must_use]
    pub fn initial_window(&self, segment: Segment, paths: usize, is_coupled: bool) -> u64 {
        let Segment { unit, ip } = segment;
        let rule = &self.initial_window;
        let at_least = match ip {
            IpVersion::V4 => rule.at_least_v4,
            IpVersion::V6 => rule.at_least_v6,
        };
        let cap = at_least.max(2 * unit);
        if rule.divided && is_coupled {
            (rule.units * unit).div_ceil(paths.max(1) as u64).min(cap).max(unit)
        } else {
            (rule.units * unit).min(cap)
        }
    }

    pub(crate) fn assumed_rtt(&self) -> f64 {
        self.assumed_rtt.map_or(0.0, |rtt| self.rtt_unit.of(rtt))
    }

    pub(crate) fn whole_bytes(&self, cut: Cut) -> i64 {
        match cut {
            Cut::HalfOf(whole) => match self.half {
                HalfRounding::Down => (whole / 2) as i64,
                HalfRounding::ToEven => rounding::half_to_even(whole) as i64,
            },
            Cut::Bytes(bytes) if self.cut_rounds_up => rounding::ceil(bytes),
            Cut::Bytes(bytes) => rounding::floor(bytes),
        }
    }
}

/// The size of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The whole IP packet.
    Mtu,
    /// The packet without the headers of IP and SCTP: path maximum data chunk size (RFC 9260 §1.4).
    Pmdcs,
    /// The user data of one full DATA chunk.
    Mss,
    /// The packet without the headers of IP and TCP, unless the protocol gives another size
    /// ([`Controller::open_path_with_unit`](crate::Controller::open_path_with_unit)).
    TcpSegment,
}

/// The bytes that a DATA chunk counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Its user data.
    Payload,
    /// Its header, user data and padding.
    Chunk,
}

/// When windows grow in congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepping {
    /// Once per acknowledged window, by the growth of that window (RFC 9260 §7.2.2).
    PerWindow,
    /// With every acknowledgement, by its part of the window's growth; fractions of a byte are kept.
    PerAck,
}

/// The handling of the bytes acknowledged in congestion avoidance, p, if windows grow once per window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartialBytes {
    /// The value of p after a step.
    pub after_step: PartialAfterStep,
    /// Whether every acknowledgement in slow start sets p to zero.
    pub cleared_in_slow_start: bool,
    /// Whether p is limited to c while the window is not used (RFC 9260 §7.2.2).
    pub limited_when_unused: bool,
}

/// The partial bytes after a step of congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAfterStep {
    /// p minus the window before the step.
    LessOldWindow,
    /// The part of p beyond the window after the step.
    BeyondNewWindow,
    /// Zero.
    Zero,
}

/// How half of an odd number of bytes is rounded; a loss removes this half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfRounding {
    /// The smaller half is removed.
    Down,
    /// To the even neighbour.
    ToEven,
}

/// The smallest windows after a cut, in units, by the kind of algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floors {
    /// Standard SCTP and plain CMT.
    pub plain: f64,
    /// Resource pooling v1, before it is multiplied by the path's share.
    pub pooled: f64,
    /// MPTCP-like.
    pub linked: f64,
}

impl Floors {
    /// The same floor for every kind of algorithm, in units.
    #[must_use]
    pub const fn all(units: f64) -> Self {
        Self { plain: units, pooled: units, linked: units }
    }
}

/// The window of a new path: some units, but not more than the larger of two units and a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialWindow {
    /// The number of units.
    pub units: u64,
    /// The number of bytes over IPv4.
    pub at_least_v4: u64,
    /// The number of bytes over IPv6.
    pub at_least_v6: u64,
    /// Whether the paths of a coupled group share these units; each has at least one.
    pub divided: bool,
}

/// The effect of a retransmission timeout without sending on the window c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// c := max(c/2, 4 units) (RFC 4960 §7.2.1).
    Halve,
    /// The same, and before the first such step s := c (RFC 9260 §7.2.1).
    HalveAndRemember,
    /// c := initial window.
    Restart,
    /// c := min(c, initial window) (RFC 5681 §4.1).
    LowerToInitial,
}

/// The unit of round-trip times in the formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttUnit {
    /// Seconds with their fractions.
    Seconds,
    /// Whole eighths of a millisecond, rounded down, at least one.
    EighthMilliseconds,
}

impl RttUnit {
    pub(crate) fn of(self, rtt: Span) -> f64 {
        match self {
            Self::Seconds => rtt.as_secs_f64(),
            // INET divides by zero below 125 us; one tick is the smallest value that keeps the formulas finite.
            Self::EighthMilliseconds => (rtt.as_nanos() / 125_000).max(1) as f64,
        }
    }

    pub(crate) fn seconds(self, rtt: f64) -> f64 {
        match self {
            Self::Seconds => rtt,
            Self::EighthMilliseconds => rtt / 8000.0,
        }
    }
}

/// Version of the Internet Protocol below SCTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpVersion {
    /// IPv4 without options.
    #[default]
    V4,
    /// IPv6 without extension headers.
    V6,
}

impl IpVersion {
    /// Length of the IP header, bytes.
    #[must_use]
    pub const fn header_bytes(self) -> u64 {
        match self {
            Self::V4 => 20,
            Self::V6 => 40,
        }
    }
}

/// The segment of a path in a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Bytes.
    pub unit: u64,
    /// The version of the Internet Protocol.
    pub ip: IpVersion,
}

/// Common header of an SCTP packet, bytes.
const COMMON_HEADER: u64 = 12;

/// Header of a TCP segment without options, bytes.
const TCP_HEADER: u64 = 20;

/// Header of a DATA chunk, bytes.
const DATA_HEADER: u64 = 16;
