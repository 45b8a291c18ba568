//! Transfers from the sender to the receiver.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};

use super::Network;
use crate::Error;

/// Size of the sender's socket buffer in bytes; the kernel doubles it.
const SEND_BUFFER: usize = 1 << 19;

/// The description of a transfer.
#[derive(Clone, Debug)]
pub struct Transfer {
    congestion_control: Option<String>,
    time: Duration,
    is_multipath: bool,
    port: u16,
}

/// The result of a transfer.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Number of bytes that the receiver has read.
    pub received: u64,
    /// Time from the first to the last byte.
    pub time: Duration,
}

impl Outcome {
    /// Received bit/s.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.received as f64 * 8.0 / self.time.as_secs_f64()
    }
}

/// A running transfer.
#[derive(Debug)]
pub struct Running {
    is_over: Arc<AtomicBool>,
    received: Arc<AtomicU64>,
    sender: JoinHandle<Result<(), Error>>,
    receiver: JoinHandle<Result<Outcome, Error>>,
}

impl Transfer {
    /// A transfer of one second by Multipath TCP, with a congestion control by its kernel name.
    #[must_use]
    pub fn new(congestion_control: &str) -> Self {
        Self {
            congestion_control: Some(congestion_control.to_owned()),
            time: Duration::from_secs(1),
            is_multipath: true,
            port: 5001,
        }
    }

    /// A transfer with the default congestion control of the sender's namespace.
    #[must_use]
    pub fn with_default() -> Self {
        Self { congestion_control: None, ..Self::new("") }
    }

    /// The same transfer with this duration.
    #[must_use]
    pub const fn for_time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// The same transfer to another port than 5001.
    #[must_use]
    pub const fn to_port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// The same transfer by plain TCP.
    #[must_use]
    pub const fn over_tcp(mut self) -> Self {
        self.is_multipath = false;
        self
    }

    /// Runs the transfer.
    ///
    /// # Errors
    /// If a socket operation fails.
    pub fn run(&self, network: &Network) -> Result<Outcome, Error> {
        let running = self.start(network)?;
        std::thread::sleep(self.time);
        running.stop()
    }

    /// Starts the transfer, which runs until it is stopped.
    ///
    /// # Errors
    /// If the receiver cannot listen.
    pub fn start(&self, network: &Network) -> Result<Running, Error> {
        let target = SocketAddr::new(network.receiver_address(), self.port);
        let is_multipath = self.is_multipath;
        // A Multipath TCP socket accepts both kinds of clients.
        let listener = network.listen(self.port)?;
        let received = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&received);
        let receiver = network.receiver.spawn(move || {
            let (stream, _) = listener.accept().map_err(|error| broken("accept", &error))?;
            drain(stream, &counted)
        });
        let is_over = Arc::new(AtomicBool::new(false));
        let (stop, name) = (Arc::clone(&is_over), self.congestion_control.clone());
        let sender = network.sender.spawn(move || {
            let sending = || {
                let sender = socket(target.ip(), is_multipath)?;
                if let Some(name) = name {
                    sender.set_tcp_congestion(name.as_bytes())?;
                }
                // A small buffer, so that the last bytes do not take longer than the transfer.
                sender.set_send_buffer_size(SEND_BUFFER)?;
                sender.connect(&target.into())?;
                fill(sender.into(), &stop)
            };
            sending().map_err(|error: std::io::Error| broken("send", &error))
        });
        Ok(Running { is_over, received, sender, receiver })
    }
}

impl Running {
    /// Number of bytes that the receiver has read so far.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Ends the transfer and waits for the last byte.
    ///
    /// # Errors
    /// If a socket operation failed.
    ///
    /// # Panics
    /// If one of its threads panicked.
    pub fn stop(self) -> Result<Outcome, Error> {
        self.is_over.store(true, Ordering::Relaxed);
        self.sender.join().expect("the sender ends")?;
        self.receiver.join().expect("the receiver ends")
    }
}

impl Network {
    /// Opens a Multipath TCP socket that listens on the receiver's address.
    ///
    /// # Errors
    /// If the port is in use.
    pub fn listen(&self, port: u16) -> Result<TcpListener, Error> {
        let target = SocketAddr::new(self.receiver_address(), port);
        let listener = self.receiver.inside(move || {
            let listener = socket(target.ip(), true)?;
            listener.set_reuse_address(true)?;
            listener.bind(&target.into())?;
            listener.listen(1024)?;
            Ok(listener.into())
        });
        listener.map_err(|error: std::io::Error| broken("listen", &error))
    }
}

fn socket(target: IpAddr, is_multipath: bool) -> std::io::Result<Socket> {
    let protocol = if is_multipath { Protocol::MPTCP } else { Protocol::TCP };
    Socket::new(Domain::for_address(SocketAddr::new(target, 0)), Type::STREAM, Some(protocol))
}

fn fill(mut stream: TcpStream, is_over: &AtomicBool) -> std::io::Result<()> {
    let block = vec![0; 1 << 16];
    while !is_over.load(Ordering::Relaxed) {
        stream.write_all(&block)?;
    }
    Ok(())
}

fn drain(mut stream: TcpStream, received: &AtomicU64) -> Result<Outcome, Error> {
    let mut block = vec![0; 1 << 18];
    let begin = Instant::now();
    loop {
        match stream.read(&mut block).map_err(|error| broken("receive", &error))? {
            0 => break,
            bytes => received.fetch_add(bytes as u64, Ordering::Relaxed),
        };
    }
    Ok(Outcome { received: received.load(Ordering::Relaxed), time: begin.elapsed() })
}

fn broken(what: &str, error: &std::io::Error) -> Error {
    Error::failed(format!("a socket of the testbed cannot {what}: {error}"))
}
