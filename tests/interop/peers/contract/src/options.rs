//! The command line.

use std::net::IpAddr;
use std::time::Duration;

/// Arguments of a peer.
#[derive(Clone, Debug)]
pub struct Options {
    /// Wait for the other end, or connect to it.
    pub listen: bool,
    /// Addresses of this end, the first one the primary.
    pub local: Vec<IpAddr>,
    /// Addresses of the other end.
    pub remote: Vec<IpAddr>,
    /// SCTP port of both ends.
    pub port: u16,
    /// UDP port of both ends; `None` is SCTP on raw IP.
    pub udp: Option<u16>,
    /// Outgoing streams.
    pub streams: u16,
    /// Bytes to send.
    pub send: u64,
    /// Bytes of a message.
    pub size: u64,
    /// Bytes of the send and of the receive buffer.
    pub buffer: u64,
    /// Send unordered.
    pub unordered: bool,
    /// Bytes that the peer sends.
    pub expect: u64,
    /// Send every message back.
    pub echo: bool,
    /// 0: one path at a time; 1 CMT, 2 CMT/RPv1, 3 CMT/RPv2, 4 MPTCP-like.
    pub cmt: u8,
    /// Delayed-acknowledgement counts of CMT.
    pub dac: bool,
    /// Offer NR-SACK.
    pub nr_sack: bool,
    /// Offer packet drop reports.
    pub pktdrop: bool,
    /// Smallest and first retransmission timeout.
    pub rto_min: Duration,
    /// Largest retransmission timeout.
    pub rto_max: Duration,
    /// How long a SACK waits for more data at most.
    pub sack_delay: Duration,
    /// Timeouts in a row after which a path is down.
    pub path_retransmissions: u32,
    /// Timeouts in a row after which the association ends, also in the handshake; `None` is the default of the stack.
    pub association_retransmissions: Option<u32>,
    /// Time between heartbeats of an idle path.
    pub heartbeat: Duration,
    /// Shut down in the end.
    pub shutdown: bool,
    /// Abort in the end, with this reason.
    pub abort: Option<String>,
    /// When to give up.
    pub timeout: Duration,
    /// Speed: how long to send, or to open associations.
    pub seconds: Duration,
    /// Speed: endpoints of this side, on ports that follow one another.
    pub endpoints: u16,
    /// Speed: endpoints of the other side.
    pub peers: u16,
}

/// Prints one line with field, value and what would be right, and ends the program with code 2.
pub fn refuse(field: &str, value: &str, right: &str) -> ! {
    eprintln!("{field}: is \"{value}\": {right}");
    std::process::exit(2);
}

impl Options {
    /// Reads the arguments of this process; ends it with code 2 if they are wrong.
    #[must_use]
    pub fn read() -> Self {
        Self::read_from(std::env::args().skip(1))
    }

    /// The same from words.
    pub fn read_from(mut words: impl Iterator<Item = String>) -> Self {
        let mode = words.next().unwrap_or_default();
        if mode != "listen" && mode != "connect" {
            refuse("mode", &mode, "give listen or connect as the first word");
        }
        let mut options = Self { listen: mode == "listen", ..Self::default() };
        let mut transport = false;
        while let Some(name) = words.next() {
            transport |= matches!(name.as_str(), "--udp" | "--raw");
            if !options.switch(&name) {
                let value =
                    words.next().unwrap_or_else(|| refuse(&name, "", "give a value behind it"));
                options.set(&name, &value);
            }
        }
        if options.local.is_empty() || options.remote.is_empty() {
            refuse("--local and --remote", "", "give the addresses of both ends");
        }
        if options.port == 0 {
            refuse("--port", "", "give the SCTP port of both ends");
        }
        if !transport {
            refuse("--udp or --raw", "", "say what carries SCTP");
        }
        options
    }

    /// Takes an argument without a value, if it is one.
    fn switch(&mut self, name: &str) -> bool {
        match name {
            "--raw" => self.udp = None,
            "--unordered" => self.unordered = true,
            "--echo" => self.echo = true,
            "--dac" => self.dac = true,
            "--nr-sack" => self.nr_sack = true,
            "--pktdrop" => self.pktdrop = true,
            "--shutdown" => self.shutdown = true,
            _ => return false,
        }
        true
    }

    fn set(&mut self, name: &str, value: &str) {
        let number = |least: u64, most: u64| number(name, value, least, most);
        let short =
            |least: u64| u16::try_from(number(least, u64::from(u16::MAX))).expect("bounded");
        match name {
            "--local" => self.local = addresses(name, value),
            "--remote" => self.remote = addresses(name, value),
            "--port" => self.port = short(1),
            "--udp" => self.udp = Some(short(1)),
            "--streams" => self.streams = u16::try_from(number(1, MAX_STREAMS)).expect("bounded"),
            "--send" => self.send = words(name, value, 0),
            "--size" => self.size = words(name, value, 8),
            "--buffer" => self.buffer = words(name, value, 1 << 16),
            "--expect" => self.expect = words(name, value, 0),
            "--cmt" => self.cmt = u8::try_from(number(0, 4)).expect("bounded"),
            "--rto-min" => self.rto_min = Duration::from_millis(number(1, 60_000)),
            "--rto-max" => self.rto_max = Duration::from_millis(number(1, 60_000)),
            "--sack-delay" => self.sack_delay = Duration::from_millis(number(1, 500)),
            "--path-retransmissions" => {
                self.path_retransmissions = u32::try_from(number(0, 100)).expect("bounded");
            }
            "--association-retransmissions" => {
                let timeouts = u32::try_from(number(0, 1000)).expect("bounded");
                self.association_retransmissions = Some(timeouts);
            }
            "--heartbeat" => self.heartbeat = Duration::from_millis(number(1, 3_600_000)),
            "--abort" => self.abort = Some(value.to_owned()),
            "--timeout" => self.timeout = Duration::from_secs(number(1, 3600)),
            "--seconds" => self.seconds = Duration::from_millis(thousandths(name, value)),
            "--endpoints" => {
                self.endpoints = u16::try_from(number(1, MAX_ENDPOINTS)).expect("bounded")
            }
            "--peers" => self.peers = u16::try_from(number(1, MAX_ENDPOINTS)).expect("bounded"),
            _ => refuse(name, value, "is no argument of a peer"),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: false,
            local: Vec::new(),
            remote: Vec::new(),
            port: 0,
            udp: None,
            streams: 1,
            send: 0,
            size: 1024,
            buffer: 4 << 20,
            unordered: false,
            expect: 0,
            echo: false,
            cmt: 0,
            dac: false,
            nr_sack: false,
            pktdrop: false,
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            sack_delay: Duration::from_millis(200),
            path_retransmissions: 5,
            association_retransmissions: None,
            heartbeat: Duration::from_secs(30),
            shutdown: false,
            abort: None,
            timeout: Duration::from_secs(30),
            seconds: Duration::from_secs(1),
            endpoints: 1,
            peers: 1,
        }
    }
}

fn number(field: &str, value: &str, least: u64, most: u64) -> u64 {
    match value.parse() {
        Ok(number) if (least..=most).contains(&number) => number,
        _ => refuse(field, value, &format!("give a number from {least} to {most}")),
    }
}

/// A number of seconds, which may have a fraction, in thousandths.
fn thousandths(field: &str, value: &str) -> u64 {
    match value.parse::<f64>() {
        Ok(seconds) if (0.1..=3600.0).contains(&seconds) => (seconds * 1000.0) as u64,
        _ => refuse(field, value, "give seconds from 0.1 to 3600"),
    }
}

fn words(field: &str, value: &str, least: u64) -> u64 {
    let bytes = number(field, value, least, 1 << 32);
    if !bytes.is_multiple_of(8) {
        refuse(field, value, "give a multiple of 8");
    }
    bytes
}

fn addresses(field: &str, value: &str) -> Vec<IpAddr> {
    let parse = |text: &str| text.parse().ok();
    let read: Option<Vec<IpAddr>> = value.split(',').map(parse).collect();
    read.unwrap_or_else(|| {
        refuse(field, value, "give addresses of IPv4 or IPv6 with commas between them")
    })
}

/// Endpoints of one side: their ports lie below those that the system hands out.
const MAX_ENDPOINTS: u64 = 12_000;
/// Streams that a peer may use.
const MAX_STREAMS: u64 = 64;
