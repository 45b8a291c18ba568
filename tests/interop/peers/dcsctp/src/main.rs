//! A peer over dcSCTP: its state machine, driven by one thread with a connected UDP socket.

use dcsctp::api::{
    DcSctpSocket, ErrorKind, LifecycleId, Message, Options as SctpOptions, PpId, SendError,
    SendOptions, Socket, SocketEvent, SocketTime, StreamId,
};
use peer_contract::{
    Ledger, Options, Outgoing, Piece, fail, refuse, report, wait_for_end_of_input,
};
use serde_json::{Value, json};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

/// An association and what is known of its progress.
struct Peer {
    options: Options,
    udp: UdpSocket,
    socket: Socket,
    begun: Instant,
    ledger: Ledger,
    outgoing: Outgoing,
    /// A message that found the send buffer full.
    waiting: Option<Piece>,
    /// Messages to send back.
    echoes: Vec<Message>,
    /// Messages that were accepted for sending and are not acknowledged yet.
    unacknowledged: u64,
    connected: bool,
    sent: bool,
    received_reported: bool,
    ending: bool,
    ended: bool,
}

fn main() {
    let options = Options::read();
    let mut peer = Peer::new(options);
    if peer.options.listen {
        report("listening", Value::Null);
    } else {
        peer.socket.connect();
    }
    peer.run();
}

impl Peer {
    fn new(options: Options) -> Self {
        refuse_what_is_missing(&options);
        let udp_port = options.udp.unwrap_or_else(|| {
            refuse("--raw", "", "give --udp, for dcSCTP is driven over UDP here")
        });
        let udp = UdpSocket::bind((options.local[0], udp_port))
            .and_then(|udp| udp.connect((options.remote[0], udp_port)).map(|()| udp))
            .unwrap_or_else(|error| fail(&format!("UDP socket: {error}")));
        let socket = Socket::new(
            "peer",
            &SctpOptions {
                local_port: options.port,
                remote_port: options.port,
                rto_min: options.rto_min,
                rto_initial: options.rto_min,
                rto_max: options.rto_max,
                delayed_ack_max_timeout: options.sack_delay,
                heartbeat_interval: options.heartbeat,
                max_message_size: MAX_MESSAGE,
                per_stream_send_queue_limit: MAX_MESSAGE,
                max_send_buffer_size: MAX_MESSAGE,
                ..SctpOptions::default()
            },
        );
        let outgoing = Outgoing::new(options.send, options.size, options.streams);
        Self {
            options,
            udp,
            socket,
            begun: Instant::now(),
            ledger: Ledger::default(),
            outgoing,
            waiting: None,
            echoes: Vec::new(),
            unacknowledged: 0,
            connected: false,
            sent: false,
            received_reported: false,
            ending: false,
            ended: false,
        }
    }

    /// Drives the association, and answers a peer that repeats its last packets until [`Self::finish`] ends the program.
    fn run(&mut self) -> ! {
        let mut datagram = vec![0; 65_536];
        loop {
            self.handle_events();
            if self.connected && !self.ended {
                self.send();
                self.end_if_done();
                self.handle_events();
            }
            let now = self.begun.elapsed();
            if now > self.options.timeout && !self.ended {
                self.ledger.report();
                fail("the time is over");
            }
            // The application waits for room in the send buffer, which acknowledgements bring.
            let due = self.socket.poll_timeout() - (SocketTime::zero() + now);
            let wait = due.clamp(Duration::from_millis(1), LONGEST_WAIT);
            self.udp.set_read_timeout(Some(wait)).expect("the time is not zero");
            let count = self.udp.recv(&mut datagram);
            self.socket.advance_time(SocketTime::zero() + self.begun.elapsed());
            // Errors are timeouts and refusals of a peer that has not begun or has ended.
            if let Ok(count) = count {
                self.socket.handle_input(&datagram[..count]);
            }
        }
    }

    fn handle_events(&mut self) {
        while let Some(message) = self.socket.get_next_message() {
            if let Err(error) = self.ledger.take(message.stream_id.0, &message.payload) {
                fail(error);
            }
            if self.options.echo {
                self.echoes.push(message);
            }
        }
        while let Some(event) = self.socket.poll_event() {
            match event {
                // A packet that the kernel refuses is lost; the protocol repairs that.
                SocketEvent::SendPacket(packet) => drop(self.udp.send(&packet)),
                SocketEvent::OnConnected() => {
                    self.connected = true;
                    let metrics = self.socket.get_metrics();
                    let streams =
                        |of: fn(&dcsctp::api::Metrics) -> u16| metrics.as_ref().map_or(0, of);
                    report(
                        "connected",
                        json!({
                            "outgoing": streams(|metrics| metrics.negotiated_maximum_outgoing_streams),
                            "incoming": streams(|metrics| metrics.negotiated_maximum_incoming_streams),
                        }),
                    );
                }
                SocketEvent::OnLifecycleEnd(_) => self.unacknowledged -= 1,
                SocketEvent::OnConnectionRestarted() => {
                    self.ledger = Ledger::default();
                    report("restarted", Value::Null);
                }
                SocketEvent::OnClosed() => self.finish("closed", Value::Null),
                SocketEvent::OnAborted(kind, reason) => {
                    let by = if kind == ErrorKind::PeerReported { "peer" } else { "local" };
                    self.finish("aborted", json!({ "by": by, "reason": reason }));
                }
                // RFC 9260 section 8.4: a SHUTDOWN COMPLETE that answers a repeated SHUTDOWN ACK is discarded
                SocketEvent::OnError(ErrorKind::ParseFailed, reason)
                    if self.ended && reason.starts_with("SHUTDOWN_COMPLETE") => {}
                SocketEvent::OnError(kind, reason) => {
                    fail(&format!("dcSCTP reports {kind:?}: {reason}"));
                }
                _ => {}
            }
        }
    }

    fn send(&mut self) {
        let options = SendOptions {
            unordered: self.options.unordered,
            lifecycle_id: LifecycleId::new(1), // only the number of events matters
            ..SendOptions::default()
        };
        for message in std::mem::take(&mut self.echoes) {
            if let Err(error) = self.socket.send(message, &options) {
                fail(&format!("echo: {error}"));
            }
            self.unacknowledged += 1;
        }
        while let Some(piece) = self.waiting.take().or_else(|| self.outgoing.next()) {
            let message = Message::new(StreamId(piece.stream), PpId(0), piece.message.clone());
            match self.socket.send(message, &options) {
                Ok(()) => self.unacknowledged += 1,
                Err(SendError::ResourceExhaustion) => {
                    self.waiting = Some(piece);
                    return;
                }
                Err(error) => fail(&format!("send: {error}")),
            }
        }
        if !self.sent {
            self.sent = true;
            report("sent", json!({ "bytes": self.options.send }));
        }
    }

    /// Ends the association as the arguments say, once everything is sent and what was expected is here.
    fn end_if_done(&mut self) {
        if !self.sent || self.ending || self.ledger.bytes() < self.options.expect {
            return;
        }
        if self.options.expect > 0 && !self.received_reported {
            self.ledger.report();
            self.received_reported = true;
        }
        // When dcSCTP shuts down, it drops what waits in its send buffer and what it would retransmit.
        if self.options.shutdown && self.unacknowledged == 0 {
            self.ending = true;
            self.socket.shutdown();
        }
    }

    /// Reports how the association ended, and ends the program when standard input ends.
    fn finish(&mut self, event: &str, fields: Value) {
        if !self.received_reported {
            self.ledger.report();
        }
        report(event, fields);
        self.ended = true;
        std::thread::spawn(|| {
            wait_for_end_of_input();
            std::process::exit(0);
        });
    }
}

fn refuse_what_is_missing(options: &Options) {
    if options.local.len() > 1 || options.remote.len() > 1 {
        refuse("--local", "two addresses", "give one, for dcSCTP knows no second path");
    }
    if options.cmt != 0 || options.dac || options.nr_sack || options.pktdrop {
        refuse("--cmt, --dac, --nr-sack, --pktdrop", "given", "leave it out, for dcSCTP has none");
    }
    if options.association_retransmissions.is_some() {
        let remedy = "leave it out, for dcSCTP has the default here";
        refuse("--association-retransmissions", "given", remedy);
    }
    if options.abort.is_some() {
        refuse("--abort", "given", "leave it out, for dcSCTP aborts without a reason");
    }
}

/// Bytes of the largest message.
const MAX_MESSAGE: usize = 4 << 20;

/// How long to sleep at most.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
