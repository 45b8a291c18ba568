//! The course of a measurement on each side.

use std::time::{Duration, Instant};

use manypath_net::{Association, Error, Message, Path};
use tokio::time::{MissedTickBehavior, interval_at, timeout};

use super::counts::Counts;
use super::cpu::CpuMeter;
use super::interval::{Baseline, Sampler};
use super::progress::Progress;
use super::pump::pump;
use super::word::{VERSION, Word};
use super::{Failure, Interval, Request, Results, Total};

/// The settings of one side.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Interval between two reports.
    pub interval: Duration,
    /// Name of this side's congestion control, for the results.
    pub congestion: String,
}

/// A completed test.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The request.
    pub request: Request,
    /// Whether this side has sent the request.
    pub is_client: bool,
    /// The counters of this side.
    pub local: Results,
    /// The counters of the peer.
    pub remote: Results,
}

/// Requests a test from the peer and runs it; calls `watch` every interval. Afterwards the association can be shut
/// down.
///
/// # Errors
/// If the request is out of range, the server refuses it, or the association ends.
pub async fn run(
    association: &Association,
    request: &Request,
    settings: &Settings,
    mut watch: impl FnMut(&Interval),
) -> Result<Outcome, Failure> {
    check(association, request)?;
    let baseline = Baseline::new(association);
    Word::Request { version: VERSION, test: request.clone() }.say(association).await?;
    let received = Counts::new(request.streams);
    let side = Side { association, request, settings, is_client: true };
    let accepted = timeout(FIRST_WORD, side.accepted(&received)).await;
    accepted.map_err(|_| Failure::NoAnswer(FIRST_WORD.as_secs()))??;
    side.test(baseline, &received, &mut watch).await
}

/// Runs the test that the peer requests; calls `begin` with the request, and `watch` every interval.
///
/// # Errors
/// If the peer requests no test or an invalid one, or if the association ends.
pub async fn serve(
    association: &Association,
    settings: &Settings,
    begin: impl FnOnce(&Request),
    mut watch: impl FnMut(&Interval),
) -> Result<Outcome, Failure> {
    let request = requested(association).await?;
    if let Err(error) = check(association, &request) {
        Word::Refused(error.to_string()).say(association).await?;
        return Err(error.into());
    }
    begin(&request);
    let baseline = Baseline::new(association);
    Word::Ready.say(association).await?;
    let side = Side { association, request: &request, settings, is_client: false };
    side.test(baseline, &Counts::new(request.streams), &mut watch).await
}

/// Refuses the test that the peer requests, for example because another one is running.
///
/// # Errors
/// If the peer requests no test, or the association ends.
pub async fn refuse(association: &Association, why: &str) -> Result<(), Failure> {
    requested(association).await?;
    Word::Refused(why.to_owned()).say(association).await
}

/// The request of a client, with a time limit.
async fn requested(association: &Association) -> Result<Request, Failure> {
    let word = timeout(PATIENCE, Word::hear(association)).await;
    match word.map_err(|_| Failure::Silent(PATIENCE.as_secs()))?? {
        Word::Request { version: VERSION, test } => Ok(test),
        Word::Request { .. } => {
            let why = format!("this server speaks version {VERSION} of the protocol");
            Word::Refused(why).say(association).await?;
            Err(Failure::Protocol)
        }
        _ => Err(Failure::Protocol),
    }
}

/// Whether the request is valid, and the association has enough streams.
fn check(association: &Association, request: &Request) -> Result<(), Error> {
    request.check()?;
    let streams = association.streams();
    let most = streams.outbound.min(streams.inbound).saturating_sub(1);
    if request.streams <= most {
        return Ok(());
    }
    let expected = format!("at most {most}, as both sides have agreed");
    Err(Error::Setting { field: "streams", value: request.streams.to_string(), expected })
}

/// One side of a test.
#[derive(Clone, Copy)]
struct Side<'a> {
    association: &'a Association,
    request: &'a Request,
    settings: &'a Settings,
    is_client: bool,
}

impl Side<'_> {
    /// Waits until the server begins. Its data may overtake its answer, because they use different streams.
    async fn accepted(self, received: &Counts) -> Result<(), Failure> {
        loop {
            let message = self.association.receive().await?.ok_or(Failure::Ended)?;
            if message.stream != 0 {
                self.count(&message, received)?;
                continue;
            }
            return match Word::decode(&message.payload)? {
                Word::Ready => Ok(()),
                Word::Refused(why) => Err(Failure::Refused(why.escape_debug().to_string())),
                _ => Err(Failure::Protocol),
            };
        }
    }

    /// Counts data from the peer.
    fn count(self, message: &Message, received: &Counts) -> Result<(), Failure> {
        let completes = message.part.is_none_or(|part| !part.more_follows);
        let known = received.add(message.stream, message.payload.len(), completes);
        if self.receives() && known { Ok(()) } else { Err(Failure::Protocol) }
    }

    async fn test(
        self,
        baseline: Baseline,
        received: &Counts,
        watch: &mut impl FnMut(&Interval),
    ) -> Result<Outcome, Failure> {
        let mut progress = Progress::new();
        let moved = |paths: &[Path]| progress.read(Instant::now(), paths);
        let done = tokio::select! {
            biased;
            done = self.exchange(baseline, received, watch) => done,
            () = self.association.stalled(SILENCE, moved) => Err(Failure::Stalled(SILENCE.as_secs())),
        };
        match done {
            Err(Failure::Net(Error::Closed)) => Err(self.ending().await),
            done => done,
        }
    }

    /// The reason why nothing can be sent any more.
    async fn ending(self) -> Failure {
        match timeout(CLOSING, self.association.closed()).await {
            Ok(Err(error)) => error.into(),
            Ok(Ok(())) | Err(_) => Failure::Ended,
        }
    }

    async fn exchange(
        self,
        baseline: Baseline,
        received: &Counts,
        watch: &mut impl FnMut(&Interval),
    ) -> Result<Outcome, Failure> {
        let sent = Counts::new(self.request.streams);
        let cpu = CpuMeter::new();
        let (sends, receives) = (self.sends(), self.receives());
        let mut sampler = Sampler::new(
            self.association,
            baseline,
            sends.then_some(&sent),
            receives.then_some(received),
        );
        let start = sampler.start();
        let mut inbox = Inbox::new(self, received);
        let send = async {
            match sends {
                true => pump(self.association, self.request, &sent, start).await.map(Some),
                false => Ok(None),
            }
        };
        let transfer = async { tokio::try_join!(send, inbox.transfer(start)) };
        let (sent_in, received_in) =
            self.watched(transfer, start, || watch(&sampler.take())).await?;
        self.acknowledged().await;
        let last = sampler.take();
        if last.is_worth_a_report() {
            watch(&last);
        }
        let local = Results {
            sent: sent_in.map(|time| total(&sent, time)),
            received: received_in.map(|time| total(received, time)),
            retransmits: sampler.retransmits_of_test(),
            congestion: self.settings.congestion.clone(),
            cpu: cpu.read(),
            paths: sampler.paths_of_test(),
        };
        Word::Results(Box::new(local.clone())).say(self.association).await?;
        let remote = inbox.results().await?;
        if !remote.may_answer(&local, self.request) {
            return Err(Failure::Protocol);
        }
        Ok(Outcome { request: self.request.clone(), is_client: self.is_client, local, remote })
    }

    /// Waits until all data of this side is acknowledged, so that the counters of paths include it. The peer has read
    /// the data already, and delays its last SACK by at most 0.5 s (RFC 9260 §6.2). `Event::SenderDry` reports it.
    async fn acknowledged(self) {
        let mut events = self.association.events();
        let is_outstanding =
            || self.association.paths().iter().any(|path| path.stats.outstanding > 0);
        let acknowledged = async { while is_outstanding() && events.next().await.is_some() {} };
        // After the time limit a SACK was lost; the peer's counters are right anyway
        let _ = timeout(LAST_SACK, acknowledged).await;
    }

    /// Runs a future, and calls `tick` at the end of each interval.
    async fn watched<T>(
        self,
        task: impl Future<Output = T>,
        start: Instant,
        mut tick: impl FnMut(),
    ) -> T {
        let every = self.settings.interval;
        let mut ticks = interval_at((start + every).into(), every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        tokio::pin!(task);
        loop {
            tokio::select! {
                biased;
                done = &mut task => return done,
                _ = ticks.tick() => tick(),
            }
        }
    }

    fn sends(self) -> bool {
        let direction = self.request.direction;
        if self.is_client { direction.client_sends() } else { direction.server_sends() }
    }

    fn receives(self) -> bool {
        let direction = self.request.direction;
        if self.is_client { direction.server_sends() } else { direction.client_sends() }
    }
}

fn total(counts: &Counts, time: Duration) -> Total {
    Total {
        bytes: counts.bytes(),
        messages: counts.messages(),
        seconds: time.as_secs_f64(),
        streams: counts.streams(),
    }
}

/// Reads data and control messages from the peer.
struct Inbox<'a> {
    side: Side<'a>,
    counts: &'a Counts,
    /// Whether the peer has not yet confirmed all data of this side.
    awaits_arrival: bool,
    /// Number of bytes that the peer has sent, once it is announced.
    announced: Option<u64>,
    results: Option<Results>,
}

impl<'a> Inbox<'a> {
    fn new(side: Side<'a>, counts: &'a Counts) -> Self {
        Self { side, counts, awaits_arrival: side.sends(), announced: None, results: None }
    }

    /// Reads until all data of both directions has arrived; returns after how long the last data arrived, if this side
    /// receives.
    async fn transfer(&mut self, start: Instant) -> Result<Option<Duration>, Failure> {
        let receives = self.side.receives();
        let mut complete = None;
        loop {
            if receives && complete.is_none() && self.announced == Some(self.counts.bytes()) {
                complete = Some(start.elapsed());
                Word::Arrived.say(self.side.association).await?;
            }
            if !self.awaits_arrival && complete.is_some() == receives {
                return Ok(complete);
            }
            self.read().await?;
        }
    }

    /// Reads until the peer's results have arrived.
    async fn results(&mut self) -> Result<Results, Failure> {
        loop {
            if let Some(results) = self.results.take() {
                return Ok(results);
            }
            self.read().await?;
        }
    }

    async fn read(&mut self) -> Result<(), Failure> {
        let message = self.side.association.receive().await?.ok_or(Failure::Ended)?;
        if message.stream != 0 {
            return self.side.count(&message, self.counts);
        }
        match Word::decode(&message.payload)? {
            Word::End { bytes } if self.side.receives() => self.announced = Some(bytes),
            Word::Arrived => self.awaits_arrival = false,
            Word::Results(results) => self.results = Some(*results),
            _ => return Err(Failure::Protocol),
        }
        Ok(())
    }
}

/// Time limit for the last acknowledgements, which a process that stands still for a moment delays.
const LAST_SACK: Duration = Duration::from_secs(10);
/// Time limit for the reason of an association that accepts no more messages.
const CLOSING: Duration = Duration::from_secs(10);
/// Time limit for the answer to a request.
const FIRST_WORD: Duration = Duration::from_secs(20);
/// A test fails if no data arrives or is acknowledged for this time.
const SILENCE: Duration = Duration::from_secs(60);
/// Time limit for a request.
const PATIENCE: Duration = Duration::from_secs(10);
