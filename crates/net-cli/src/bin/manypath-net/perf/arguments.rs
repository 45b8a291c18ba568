//! The arguments of `perf`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use manypath_lab::scenario::SctpFlow;
use manypath_net::{Builder, Peer};
use manypath_net_cli::perf::{Direction, MOST_SECONDS, MOST_SIZE, MOST_STREAMS, Request, Settings};
use manypath_program::{seconds, whole};

use super::settings;
use super::show::Form;
use crate::addresses::builder;
use crate::failure::Failure;
use crate::local::{Host, Local, host, port_or_any};

/// Payload bytes of messages.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    /// Of the smallest message, if they differ.
    least: Option<usize>,
    /// Of the largest message.
    most: usize,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Perf {
    /// Serve tests until stopped by Ctrl-C or SIGTERM.
    #[arg(long, conflicts_with = "to")]
    pub(crate) listen: bool,
    /// End after one test.
    #[arg(long, conflicts_with = "to")]
    pub(crate) once: bool,
    /// Addresses or names of the server, separated by commas, in the order of attempts; a name stands for all of its
    /// addresses.
    #[arg(long, value_name = "HOST,...", value_delimiter = ',', value_parser = host)]
    pub(crate) to: Vec<Host>,
    /// UDP port of the server, by default 9899; for a server, 0 selects a free one.
    #[arg(long, value_name = "PORT", allow_hyphen_values = true, value_parser = port_or_any)]
    udp: Option<u16>,
    /// Duration of the test, in seconds without a unit; by default '10 s' unless --bytes is given.
    #[arg(long, value_name = "TIME", conflicts_with_all = ["listen", "bytes"], allow_hyphen_values = true,
        value_parser = time)]
    time: Option<f64>,
    /// Payload of the test in bytes.
    #[arg(long, value_name = "COUNT", conflicts_with = "listen", allow_hyphen_values = true,
        value_parser = |text: &str| whole::<u64>(text, 1..=u64::MAX))]
    bytes: Option<u64>,
    /// Number of streams; messages are sent round robin over them.
    #[arg(long, value_name = "COUNT", default_value_t = 1, conflicts_with = "listen", allow_hyphen_values = true,
        value_parser = |text: &str| whole::<u16>(text, 1..=u64::from(MOST_STREAMS)))]
    streams: u16,
    /// Payload of a message in bytes; two sizes, such as 500-1452, for random sizes between them.
    #[arg(long, value_name = "BYTES[-BYTES]", default_value = "65536", conflicts_with = "listen",
        allow_hyphen_values = true, value_parser = sizes)]
    size: Sizes,
    /// Deliver messages unordered.
    #[arg(long, conflicts_with = "listen")]
    unordered: bool,
    /// Send small messages immediately, without waiting for acknowledgements of earlier ones (disables Nagle's algorithm).
    #[arg(long)]
    nodelay: bool,
    /// Use one thread: less processor time for each packet. Several threads may reach a higher rate.
    #[arg(long)]
    pub(crate) one_thread: bool,
    /// Let the server send.
    #[arg(long, conflicts_with_all = ["listen", "both"])]
    reverse: bool,
    /// Let both sides send.
    #[arg(long, conflicts_with = "listen")]
    both: bool,
    /// Interval of reports, in seconds without a unit.
    #[arg(long, value_name = "TIME", default_value = "1", allow_hyphen_values = true, value_parser = interval)]
    interval: Duration,
    /// Print one JSON document per test, in the format of iperf3.
    #[arg(long)]
    json: bool,
    /// Print a JSON object per line at the end of each interval, like iperf3.
    #[arg(long, conflicts_with = "json")]
    json_stream: bool,
    /// Read all settings of SCTP from this file, which has a flow of a scenario as JSON.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["cc", "raw", "pacing", "nodelay"])]
    settings: Option<PathBuf>,
    /// The settings in the file.
    #[arg(skip)]
    flow: Option<SctpFlow>,
    #[command(flatten)]
    pub(crate) local: Local,
}

impl Perf {
    /// Reads the settings if a file has them.
    pub(crate) fn with_settings(mut self) -> Result<Self, Failure> {
        if let Some(file) = &self.settings {
            let flow = settings::read(file)?;
            self.local.cc.clone_from(&flow.cc);
            if !flow.udp_encapsulation && self.udp.is_some() {
                let without = "has no `\"udp_encapsulation\": true`";
                return Err(Failure::input(format!(
                    "`--udp` cannot be used, as {} {without}: add it, or leave `--udp` out",
                    file.display()
                )));
            }
            self.local.raw = !flow.udp_encapsulation;
            self.flow = Some(flow);
        }
        Ok(self)
    }

    /// The UDP port of the server.
    pub(crate) fn udp(&self) -> u16 {
        self.udp.unwrap_or(Peer::ENCAPSULATION_PORT)
    }

    /// The endpoint of this side; `udp` is its UDP port, if UDP encapsulation is used.
    pub(crate) fn builder(&self, udp: u16) -> Builder {
        let builder = builder(&self.local, udp).nodelay(self.nodelay);
        match &self.flow {
            Some(flow) => settings::apply(builder, flow),
            None => builder,
        }
    }

    /// The form of the results.
    pub(crate) fn form(&self) -> Form {
        match (self.json, self.json_stream) {
            (true, _) => Form::Json,
            (false, true) => Form::JsonStream,
            (false, false) => Form::Text,
        }
    }

    /// The test that a client requests.
    pub(crate) fn request(&self) -> Request {
        let direction = match (self.reverse, self.both) {
            (false, false) => Direction::Send,
            (true, _) => Direction::Reverse,
            (false, true) => Direction::Both,
        };
        let duration = self.time.or(self.bytes.is_none().then_some(SECONDS));
        Request {
            duration,
            bytes: self.bytes,
            streams: self.streams,
            size: self.size.most,
            size_min: self.size.least,
            unordered: self.unordered,
            direction,
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings { interval: self.interval, congestion: self.local.cc.clone() }
    }
}

fn time(text: &str) -> Result<f64, String> {
    let time = seconds(text).filter(|time| *time > 0.0 && *time <= MOST_SECONDS);
    time.ok_or_else(|| {
        format!("expected a time such as 10 s, more than 0 and at most {MOST_SECONDS} s")
    })
}

fn sizes(text: &str) -> Result<Sizes, String> {
    let size = |text: &str| whole::<usize>(text, 1..=MOST_SIZE as u64);
    let Some((least, most)) = text.split_once('-').filter(|(least, _)| !least.is_empty()) else {
        return Ok(Sizes { least: None, most: size(text)? });
    };
    let (least, most) = (size(least)?, size(most)?);
    if least > most {
        return Err(format!("expected the smaller size first: {most}-{least}"));
    }
    Ok(Sizes { least: Some(least), most })
}

fn interval(text: &str) -> Result<Duration, String> {
    manypath_program::time(text, 0.05..=3600.0, ["50 ms", "3600 s"])
}

/// Default length of a test in seconds.
const SECONDS: f64 = 10.0;
