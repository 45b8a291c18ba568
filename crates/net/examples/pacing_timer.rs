//! Accuracy of timers for pacing: UDP at a fixed rate with different timers.
//!
//! `cargo run --release -p manypath-net --example pacing_timer -- ADDRESS:PORT SECONDS` sends to an address beyond a
//! link; the port may be closed. It prints a line per rate and timer: lateness of packets, reached rate, and CPU time.

use std::io::IoSlice;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::socket::{ControlMessage, MsgFlags, SockaddrStorage, sendmsg};
use nix::sys::time::TimeVal;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, seconds] = &arguments[..] else {
        return Err("give ADDRESS:PORT SECONDS".into());
    };
    let address: SocketAddr = address.parse()?;
    let span = Duration::from_secs_f64(seconds.parse()?);
    println!("| Mbit/s | timer | quantum | late p50 µs | late p99 µs | reached % | CPU s/GB |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for rate in [10, 100, 1000] {
        for (name, quantum) in
            [("tokio", 0), ("timerfd", 0), ("timerfd", 250), ("timerfd", 500), ("timerfd", 1000)]
        {
            let mut timer = match name {
                "tokio" => Timer::Tokio,
                _ => Timer::File(kernel_timer()?),
            };
            let quantum = Duration::from_micros(quantum);
            let run = send(address, rate, quantum, span, &mut timer).await?;
            println!("| {rate} | {name} | {} µs | {run} |", quantum.as_micros());
        }
    }
    Ok(())
}

/// The timer that wakes the sender.
enum Timer {
    /// tokio's timer wheel, which ticks once per millisecond.
    Tokio,
    /// A kernel timer, awaited like a socket.
    File(AsyncFd<OwnedFd>),
}

impl Timer {
    async fn sleep_until(&mut self, at: Instant) -> Result<(), Failure> {
        match self {
            Self::Tokio => tokio::time::sleep_until(at.into()).await,
            Self::File(timer) => {
                let left = at.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(());
                }
                let once = Itimerspec {
                    it_interval: Timespec::default(),
                    it_value: Timespec::try_from(left)?,
                };
                timerfd_settime(timer.as_fd(), TimerfdTimerFlags::empty(), &once)?;
                timer.readable().await?.clear_ready();
            }
        }
        Ok(())
    }
}

#[expect(unsafe_code, reason = "tokio asks for a file that stays open while it is registered")]
fn kernel_timer() -> Result<AsyncFd<OwnedFd>, Failure> {
    let file = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK)?;
    // SAFETY: the returned value owns the file and closes it
    let registered = unsafe { AsyncFd::register_with_interest(file, Interest::READABLE) };
    Ok(registered?)
}

/// Sends packets of 1,500 bytes at a fixed rate. All packets that are due when the timer fires are sent at once; the
/// timer fires after the quantum at the earliest.
async fn send(
    address: SocketAddr,
    megabits: u64,
    quantum: Duration,
    span: Duration,
    timer: &mut Timer,
) -> Result<String, Failure> {
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    let interval = Duration::from_nanos(1500 * 8 * 1000 / megabits);
    let payload = vec![0; MOST_SEGMENTS * SEGMENT];
    let mut late = Vec::new();
    let (start, before) = (Instant::now(), processor_time()?);
    let mut due = start;
    while start.elapsed() < span {
        let now = Instant::now();
        let mut count = 0;
        while due <= now && count < MOST_SEGMENTS {
            late.push((now - due).as_nanos() as u64);
            due += interval;
            count += 1;
        }
        if count == 0 {
            timer.sleep_until(due.max(now + quantum)).await?;
            continue;
        }
        let segment = SEGMENT as u16;
        let control = [ControlMessage::UdpGsoSegments(&segment)];
        let parts = [IoSlice::new(&payload[..count * SEGMENT])];
        let to = SockaddrStorage::from(address);
        // A packet that cannot be sent counts as lost
        let _ = sendmsg(socket.as_raw_fd(), &parts, &control, MsgFlags::empty(), Some(&to));
    }
    let (took, used) = (start.elapsed().as_secs_f64(), processor_time()? - before);
    late.sort_unstable();
    let micros = |percent: usize| late[(late.len() - 1) * percent / 100] as f64 / 1000.0;
    let bits = (late.len() * 1500 * 8) as f64;
    let reached = bits / took / megabits as f64 / 1e4;
    let each_gigabyte = used / (bits / 8e9);
    Ok(format!("{:.0} | {:.0} | {reached:.1} | {each_gigabyte:.2}", micros(50), micros(99)))
}

/// CPU time so far in seconds, user and system.
fn processor_time() -> Result<f64, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// Payload of a packet of 1,500 bytes over IPv4 and UDP.
const SEGMENT: usize = 1472;
/// Packets per system call.
const MOST_SEGMENTS: usize = 44;
