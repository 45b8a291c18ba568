//! Measurement of an emulation by a stream of datagrams with time stamps from one host to another.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use manypath_core::Span;
use rustix::net::sockopt::set_socket_recv_buffer_size_force;

use crate::error::EmulationError;
use crate::namespace::Namespace;

/// A stream of datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Source address.
    pub from: IpAddr,
    /// Destination address.
    pub to: IpAddr,
    /// Number of datagrams.
    pub packets: u64,
    /// Size of each in bytes, with all headers.
    pub size: usize,
    /// Interval between two datagrams.
    pub gap: Span,
    /// If some are lost, the stream ends when none has arrived for this time since the last one was sent. A process that
    /// stands still for as long loses the rest of the stream.
    pub silence: Span,
}

/// The result of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// Delays from socket to socket in nanoseconds, in order of arrival.
    pub delays: Vec<u64>,
    /// Arrival times in nanoseconds since the start of the stream.
    pub instants: Vec<u64>,
}

impl Stream {
    /// Sends the stream from `left` to `right` and waits until all datagrams have arrived, or no more arrive.
    ///
    /// # Errors
    /// If a socket of a host cannot be opened or used.
    pub fn measure(&self, left: &Namespace, right: &Namespace) -> Result<Arrivals, EmulationError> {
        let socket = |error| EmulationError::system::<io::Error>("a socket to measure with")(error);
        let receiver = right.within(|| UdpSocket::bind(SocketAddr::new(self.to, 0)))?;
        let receiver = receiver.map_err(socket)?;
        let sender = left.within(|| UdpSocket::bind(SocketAddr::new(self.from, 0)))?;
        let sender = sender.map_err(socket)?;
        let there = receiver.local_addr().map_err(socket)?;
        sender.connect(there).map_err(socket)?;
        // Datagrams that wait for this process must not be lost.
        set_socket_recv_buffer_size_force(&receiver, RECEIVE_BUFFER)
            .map_err(|error| socket(error.into()))?;
        receiver.set_read_timeout(Some(LOOK)).map_err(socket)?;
        let (start, sent) = (Instant::now(), OnceLock::new());
        thread::scope(|scope| {
            let sending = scope.spawn(|| {
                let done = self.send(&sender, start);
                sent.get_or_init(Instant::now);
                done
            });
            let arrivals = self.receive(&receiver, start, &sent).map_err(socket);
            sending
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                .map_err(socket)?;
            arrivals
        })
    }

    /// Receives the stream, whose last datagram leaves at `sent`.
    fn receive(
        &self,
        socket: &UdpSocket,
        start: Instant,
        sent: &OnceLock<Instant>,
    ) -> io::Result<Arrivals> {
        let silence = Duration::from_nanos(self.silence.as_nanos());
        let (mut arrivals, mut last) = (Arrivals::default(), start);
        while (arrivals.count() as u64) < self.packets {
            // Before the wait: after it, this thread may have stood still while datagrams arrived
            let begin = Instant::now();
            match receive(socket, start, &mut arrivals) {
                Ok(()) => last = Instant::now(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if !is_silence(&error) => return Err(error),
                Err(_) => {
                    let since = sent.get().map(|sent| begin.duration_since(last.max(*sent)));
                    if since.is_some_and(|since| since >= silence) {
                        break;
                    }
                }
            }
        }
        Ok(arrivals)
    }

    fn send(&self, socket: &UdpSocket, start: Instant) -> io::Result<()> {
        let headers = if self.to.is_ipv4() { HEADERS_IPV4 } else { HEADERS_IPV6 };
        let mut datagram = vec![0; self.size.saturating_sub(headers).max(8)];
        for packet in 0..self.packets {
            let due = Duration::from_nanos(self.gap.saturating_mul(packet).as_nanos());
            sleep_until(start + due);
            datagram[..8].copy_from_slice(&nanos(start.elapsed()).to_be_bytes());
            match socket.send(&datagram) {
                // The packet is lost: a queue on the way is full, or there is no listener.
                Ok(_) => {}
                Err(error) if is_loss(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Arrivals {
    /// Number of received datagrams.
    #[must_use]
    pub fn count(&self) -> usize {
        self.delays.len()
    }

    /// Received datagrams per second between the first and the last one; 0 if there are fewer than two.
    #[must_use]
    pub fn rate(&self) -> f64 {
        match (self.instants.first(), self.instants.last()) {
            (Some(first), Some(last)) if last > first => {
                (self.count() - 1) as f64 * 1e9 / (last - first) as f64
            }
            _ => 0.0,
        }
    }

    /// The quantile `share` of the delays in nanoseconds; 0 if nothing arrived.
    #[must_use]
    pub fn quantile(&self, share: f64) -> u64 {
        let mut sorted = self.delays.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        sorted.get((share * last as f64).round() as usize).copied().unwrap_or(0)
    }
}

fn receive(socket: &UdpSocket, start: Instant, arrivals: &mut Arrivals) -> io::Result<()> {
    let mut datagram = [0; 8];
    // A longer datagram is truncated: only its first bytes are needed.
    socket.recv(&mut datagram)?;
    let now = nanos(start.elapsed());
    arrivals.instants.push(now);
    arrivals.delays.push(now.saturating_sub(u64::from_be_bytes(datagram)));
    Ok(())
}

/// Sleeps, and polls the clock shortly before the instant.
fn sleep_until(due: Instant) {
    let wait = due.saturating_duration_since(Instant::now());
    if wait > NEARLY {
        thread::sleep(wait - NEARLY);
    }
    while Instant::now() < due {
        thread::yield_now();
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn is_silence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn is_loss(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionRefused
        || error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error())
}

/// IP and UDP headers.
const HEADERS_IPV4: usize = 28;
const HEADERS_IPV6: usize = 48;
/// Size of the receive buffer in bytes.
const RECEIVE_BUFFER: usize = 16 << 20;
/// The receiver waits for this time before it looks whether the stream is over.
const LOOK: Duration = Duration::from_millis(100);
/// The sender polls the clock for this time before an instant.
const NEARLY: Duration = Duration::from_micros(200);
