//! Fills one packet: first control chunks, then the SACK, then retransmissions, then new data. RFC 9260 §6.1, §6.10

use manypath_core::{PathId, SendLimit, Time, Tsn, Via};

use super::Association;
use super::limits::Window;
use super::timers::Timer;
use crate::config::SackRequest;
use crate::packet::{Control, DATA_HEADER, Data, Packet, padded};

impl Association {
    /// Fills the cleared packet if there is anything to send.
    pub(crate) fn poll_transmit(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        self.drop_expired(now);
        if !self.outbox.is_empty() {
            return self.send_control(now, packet);
        }
        if self.owes_sack() {
            return Some(self.send_sack(now, packet));
        }
        while let Some((path, window)) = self.next_turn(now) {
            let room = self.paths[path].network.room();
            match self.fill(now, path, packet, room, window) {
                Ok(()) => {
                    if self.timers.is_set(Timer::Sack) {
                        self.add_pending_sack(now, path, packet);
                    }
                    let via = self.address(path, packet);
                    // This ends the turns of paths that have nothing to send, so that `may_transmit` is exact
                    self.next_turn(now);
                    return Some(via);
                }
                Err(limit) => self.end_turn(now, path, limit),
            }
        }
        None
    }

    /// Whether there may be something to send.
    #[inline]
    pub(crate) fn may_transmit(&self) -> bool {
        self.opportunity.is_open() || !self.outbox.is_empty() || self.owes_sack()
    }

    #[inline]
    fn owes_sack(&self) -> bool {
        self.receiver.sack_due() && self.state.may_receive_data()
    }

    /// Sends a SACK, with DATA if there is room.
    fn send_sack(&mut self, now: Time, packet: &mut Packet) -> Via {
        let path = self.sack_path();
        let room = self.paths[path].network.room();
        let used = self.add_sack(now, path, packet, room);
        if self.state.may_send_data() && self.sender.has_data_for(path) {
            let room = room.saturating_sub(used);
            self.add_data(now, path, packet, room);
        }
        self.address(path, packet)
    }

    /// Adds a delayed SACK to a packet with DATA, if it uses the same path and leaves room. RFC 9260 §6.1
    #[cold]
    fn add_pending_sack(&mut self, now: Time, path: PathId, packet: &mut Packet) {
        let used: usize = packet.data.iter().map(|chunk| padded(chunk.length())).sum();
        let left = self.paths[path].network.room().saturating_sub(used);
        let fits = self.receiver.longest_sack() <= left;
        if fits && self.state.may_receive_data() && path == self.sack_path() {
            self.add_sack(now, path, packet, left);
        }
    }

    /// Adds a SACK of at most `room` bytes; returns its length.
    fn add_sack(&mut self, now: Time, path: PathId, packet: &mut Packet, room: usize) -> usize {
        self.write_sack(now, path, room, &mut packet.sack);
        packet.has_sack = true;
        packet.sack.length()
    }

    /// Sends control chunks of one path, with a SACK that is due on the same path. Chunks that must not be bundled get
    /// a packet of their own. RFC 9260 §6.10
    #[cold]
    fn send_control(&mut self, now: Time, packet: &mut Packet) -> Option<Via> {
        let (path, mut used) = self.outbox.fill(packet, &self.paths)?;
        if matches!(packet.control.last(), Some(Control::Padding(_))) {
            // A probe of the packet size may be larger than the known MTU of the path
            return Some(self.address(path, packet));
        }
        let first = packet.control.first();
        let is_init = matches!(first, Some(Control::Init(_)));
        let echoes_cookie = matches!(first, Some(Control::CookieEcho(_)));
        let may_grow = !first.is_some_and(Control::must_be_alone);
        let room = self.paths[path].network.room();
        if may_grow && used <= room / 2 && self.owes_sack() && path == self.sack_path() {
            used += self.add_sack(now, path, packet, room - used);
        }
        // A chunk with content of the peer, such as its cookie, may be larger than any packet of this side
        packet.may_fragment = used > room;
        if echoes_cookie {
            self.add_data(now, path, packet, room.saturating_sub(used));
        }
        let via = self.address(path, packet);
        if is_init {
            packet.tag = 0;
        }
        Some(via)
    }

    /// Puts ports, tag and lower headers on a packet for `path`.
    #[inline(never)]
    fn address(&mut self, path: PathId, packet: &mut Packet) -> Via {
        let known = &mut self.paths[path];
        let header = known.network.header();
        packet.source_port = self.config.port;
        packet.destination_port = self.peer.port;
        packet.tag = self.peer.tag;
        packet.network_header = header;
        self.stats.packets_sent += 1;
        if !packet.data.is_empty() {
            let size = packet.sctp_size() + usize::from(header);
            known.stats.wire_bytes_sent += size as u64;
            if let Some(search) = &mut known.mtu_search {
                search.note_sent(size);
            }
        }
        known.via
    }

    /// Adds DATA of `path`, if it may send any, to a packet that is sent in any case.
    #[inline(never)]
    fn add_data(&mut self, now: Time, path: PathId, packet: &mut Packet, room: usize) {
        if let Ok(window) = self.window(path) {
            self.fill(now, path, packet, room, window).ok();
        }
    }

    /// Adds lost chunks and, if the window is open, new data, as soon as pacing allows it.
    #[inline]
    fn fill(
        &mut self,
        now: Time,
        path: PathId,
        packet: &mut Packet,
        room: usize,
        window: Window,
    ) -> Result<(), Option<SendLimit>> {
        if self.config.pacing {
            self.fill_paced(now, path, packet, room, window)
        } else {
            self.fill_now(now, path, packet, room, window)
        }
    }

    /// Like `fill_now`, if the departure time of the packet has come.
    #[cold]
    fn fill_paced(
        &mut self,
        now: Time,
        path: PathId,
        packet: &mut Packet,
        room: usize,
        window: Window,
    ) -> Result<(), Option<SendLimit>> {
        if self.paths[path].pacer.holds(now) {
            return Err(Some(self.limit_while_held(path, room, window)));
        }
        let flight = self.sender.flight(path);
        self.fill_now(now, path, packet, room, window)?;
        self.note_departure(now, path, self.sender.flight(path) - flight);
        Ok(())
    }

    /// Adds lost chunks and, if the window is open, new data.
    #[inline(never)]
    fn fill_now(
        &mut self,
        now: Time,
        path: PathId,
        packet: &mut Packet,
        room: usize,
        window: Window,
    ) -> Result<(), Option<SendLimit>> {
        let mut left = room;
        if self.sender.has_lost(path) {
            self.add_lost(now, path, packet, &mut left);
            if packet.data.is_empty() {
                // The packet has no room left for this chunk: it is sent in the next packet, before all new data
                return Err(None);
            }
            self.paths[path].retransmission_due = false;
        }
        let limit = match window {
            Window::Open => self.limit(path, left),
            Window::OpenToLost => Some(SendLimit::Window),
        };
        if limit.is_none() {
            self.add_new(now, path, packet, &mut left);
            self.probe_pace.note_new_data();
        }
        if packet.data.is_empty() {
            return Err(limit);
        }
        self.finish_data(now, path, packet);
        Ok(())
    }

    #[cold]
    fn add_lost(&mut self, now: Time, path: PathId, packet: &mut Packet, left: &mut usize) {
        let lowest_before = self.sender.extent(path).map(|(lowest, _)| lowest);
        while let Some(data) = self.sender.send_lost(now, path, *left) {
            self.push_again(now, path, packet, left, data, lowest_before);
        }
        // The MTU has become smaller: the chunk is sent alone, and IP may fragment it. RFC 9260 §6.9
        if packet.is_empty()
            && let Some(data) = self.sender.send_lost(now, path, usize::MAX)
        {
            packet.may_fragment = true;
            self.push_again(now, path, packet, left, data, lowest_before);
            *left = 0;
        }
    }

    fn push_again(
        &mut self,
        now: Time,
        path: PathId,
        packet: &mut Packet,
        left: &mut usize,
        data: Data,
        lowest_before: Option<Tsn>,
    ) {
        // RFC 9260 §7.2.4 item 4: the timer restarts when the earliest outstanding chunk of the path is sent
        if lowest_before.is_some_and(|lowest| data.tsn.is_before(lowest)) && packet.data.is_empty()
        {
            self.start_timer(now, path);
        }
        self.stats.retransmitted_chunks += 1;
        self.paths[path].stats.retransmitted_chunks += 1;
        self.push_data(path, packet, left, data);
    }

    /// Adds new data, which no limit stops.
    #[inline]
    fn add_new(&mut self, now: Time, path: PathId, packet: &mut Packet, left: &mut usize) {
        while let Some(data) = self.sender.send_new(now, self.taker(path), *left) {
            self.push_data(path, packet, left, data);
            if *left <= DATA_HEADER || !self.fits_peer_window(path, self.next_length(path)) {
                return;
            }
        }
    }

    #[inline]
    fn push_data(&mut self, path: PathId, packet: &mut Packet, left: &mut usize, data: Data) {
        *left = left.saturating_sub(padded(data.length()));
        self.stats.data_chunks_sent += 1;
        self.paths[path].stats.data_chunks_sent += 1;
        packet.data.push(data);
    }

    fn finish_data(&mut self, now: Time, path: PathId, packet: &mut Packet) {
        if self.config.sack_immediately != SackRequest::Never || self.sender.is_sack_requested() {
            self.ask_for_sack(path, packet);
        }
        let known = &mut self.paths[path];
        known.last_sent = now;
        known.burst_left = known.burst_left.saturating_sub(1);
        known.stats.data_packets += 1;
        self.stats.data_packets += 1;
        if !self.timers.is_set(Timer::Retransmit(path)) {
            self.start_timer(now, path);
        }
    }

    fn start_timer(&mut self, now: Time, path: PathId) {
        seeded!(RetransmissionTimerForgotten => if self.paths[path].after_timeout { return });
        self.timers.set(Timer::Retransmit(path), now + self.paths[path].rto());
        self.sender.note_oldest(path);
    }
}
