//! Opening an association: INIT, INIT ACK, COOKIE ECHO, COOKIE ACK, and their retransmissions. RFC 9260 §5.1

use std::cmp::Reverse;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use manypath_cc::{Controller, algorithm};
use manypath_core::{Address, PathId, Scope, Span, Time, Tsn, Via};

use super::acknowledge::SackNews;
use super::cookie::{Cookie, Terms};
use super::fast_recovery::FastRecovery;
use super::notices::Notices;
use super::opportunity::Opportunity;
use super::outbox::Outbox;
use super::paths::{Paths, distinct};
use super::peer::Peer;
use super::state::{Opening, State};
use super::timers::{MAX_PATHS, Timer, Timers};
use super::window_probe::ProbePace;
use super::{Association, Notice};
use crate::config::Config;
use crate::entropy::Entropy;
use crate::event::CloseReason;
use crate::packet::{CHUNK_HEADER, Cause, Control, Init, padded};
use crate::path::Path;
use crate::receive::Receiver;
use crate::send::Sender;
use crate::stats::Stats;
use crate::wire::STATE_COOKIE;

impl Association {
    /// Begins to open an association along `vias`. The first one is the primary path.
    pub(crate) fn connect(
        now: Time,
        config: Arc<Config>,
        vias: &[Via],
        peer_port: u16,
        local_tag: u32,
        mut random: Entropy,
    ) -> Self {
        let initial_tsn = first_tsn(&config, &mut random);
        let init = own_init(&config, local_tag, initial_tsn, own_addresses(vias));
        let mut association = Self::new(config, peer_port, local_tag, random);
        for &via in vias.iter().take(MAX_PATHS) {
            association.open_path(via, true);
        }
        let opening = Opening { init: Box::new(init), ..Opening::default() };
        association.enter(State::CookieWait(opening));
        association.send_opening(now);
        association
    }

    /// Creates the association of a valid cookie, and announces it by `notice`. RFC 9260 §5.1 D
    pub(crate) fn accept(
        now: Time,
        config: Arc<Config>,
        cookie: &Cookie,
        via: Via,
        random: Entropy,
        notice: Notice,
    ) -> Self {
        let mut association = Self::from_cookie(config, cookie, random);
        association.acknowledge_cookie(now, via);
        association.establish(now, notice);
        association
    }

    pub(super) fn from_cookie(config: Arc<Config>, cookie: &Cookie, random: Entropy) -> Self {
        let vias = pair_addresses(&config.local, cookie.via, &cookie.peer_addresses);
        let mut association = Self::new(config, cookie.peer_port, cookie.terms.local_tag, random);
        for (index, &via) in vias.iter().enumerate() {
            let answered = via.remote == cookie.via.remote;
            association.open_path(via, answered);
            if answered {
                association.paths.primary = PathId(index as u8);
            }
        }
        association.adopt(&cookie.terms);
        association.begin_sending(&cookie.terms);
        association
    }

    fn new(config: Arc<Config>, peer_port: u16, local_tag: u32, mut random: Entropy) -> Self {
        Self {
            state: State::Closed(Vec::new()),
            peer: Peer::new(peer_port, local_tag, &mut random),
            paths: Paths::default(),
            control: controller(&config),
            recovery: FastRecovery::default(),
            sender: Sender::new(&config),
            receiver: Receiver::new(&config),
            timers: Timers::default(),
            opportunity: Opportunity::default(),
            probe_pace: ProbePace::default(),
            sack_news: SackNews::default(),
            outbox: Outbox::default(),
            notices: Notices::default(),
            random,
            stats: Stats::default(),
            config,
        }
    }

    fn open_path(&mut self, via: Via, confirmed: bool) {
        self.add_path(Path::new(via, &self.config, confirmed));
    }

    pub(super) fn add_path(&mut self, known: Path) {
        let (ip, mtu) = known.network.segment();
        let path = self.control.open_path_over(ip, mtu);
        self.sender.open_path();
        let confirmed = known.confirmed;
        self.paths.add(known);
        self.fit_chunks();
        if !confirmed {
            self.control.set_active(path, false);
        }
        self.paths.divide_buffers(&self.config);
    }

    /// Adopts the agreed values of the handshake.
    pub(super) fn adopt(&mut self, terms: &Terms) {
        self.peer.adopt(terms);
        self.receiver = Receiver::new(&self.config);
        self.receiver.use_nr_sack(terms.nr_sack);
        self.receiver.start(terms.peer_tsn, terms.inbound_streams);
    }

    pub(super) fn begin_sending(&mut self, terms: &Terms) {
        self.control.start(u64::from(terms.peer_window));
        if self.config.mtu_discovery.is_some() {
            self.sender.suit_peer_buffer(terms.peer_window);
            self.fit_chunks();
        }
        self.sender.start(terms.local_tsn, terms.peer_window, terms.outbound_streams);
    }

    /// Establishes the association.
    pub(super) fn establish(&mut self, now: Time, notice: Notice) {
        let closing = self.state.opening().is_some_and(|opening| opening.closing);
        self.enter(if closing { State::ShutdownPending } else { State::Established });
        self.timers.cancel(Timer::Setup);
        self.notices.push(notice);
        self.start_heartbeats(now);
        self.open_opportunity(now, self.paths.primary);
    }

    /// Handles INIT ACK, which is ignored except in COOKIE-WAIT. RFC 9260 §5.1 C, §5.2.3
    pub(super) fn handle_init_ack(&mut self, now: Time, via: Via, ack: &Init) {
        let path = self.paths.of(via);
        let State::CookieWait(opening) = &mut self.state else { return };
        let cookie = match (check_init(ack), &ack.cookie) {
            (Ok(()), Some(cookie)) => cookie.clone(),
            (Ok(()), None) => {
                let cause = Cause::MissingParameters(vec![STATE_COOKIE]);
                return self.refuse_init_ack(path, ack, cause);
            }
            (Err(cause), _) => return self.refuse_init_ack(path, ack, cause),
        };
        let terms = Terms::between(&opening.init, ack);
        let opening = Opening { retries: 0, ..std::mem::take(opening) };
        // After a stale cookie the peer sends another INIT ACK, but the first messages may already be in flight
        let first = !self.peer.is_known();
        let locals = self.paths.local_addresses();
        if first {
            self.keep_listed(via, &ack.addresses);
        }
        self.learn_addresses(&ack.addresses, &locals);
        self.adopt(&terms);
        if first {
            self.begin_sending(&terms);
        }
        self.enter(State::CookieEchoed { opening, cookie: cookie.clone() });
        let path = self.paths.of(via).unwrap_or(self.paths.primary);
        let echo = Control::CookieEcho(cookie);
        let room = self.paths[path].network.room().saturating_sub(padded(echo.length()));
        self.outbox.push(path, echo);
        self.report_parameters(path, room, &ack.unrecognized);
        self.timers.set(Timer::Setup, now + self.config.rto.initial);
    }

    /// Ends the attempt after an invalid INIT ACK. ABORT is sent to the source of the INIT ACK.
    /// RFC 9260 §3.3.3, §5.1, §5.1.2
    fn refuse_init_ack(&mut self, path: Option<PathId>, ack: &Init, cause: Cause) {
        self.peer.tag = ack.tag;
        self.end_on(path, Some(cause), CloseReason::ProtocolViolation);
    }

    /// Reports the unrecognised parameters of INIT ACK to the peer in an ERROR after COOKIE ECHO. Parameters that do
    /// not fit into the same packet, which has `room` bytes left, are omitted. RFC 9260 §3.2.1, §3.3.10.8
    fn report_parameters(&mut self, path: PathId, room: usize, unrecognized: &[Bytes]) {
        let mut report = BytesMut::new();
        for whole in unrecognized {
            if report.len() + padded(whole.len()) + 2 * CHUNK_HEADER > room {
                break;
            }
            report.extend_from_slice(whole);
            report.resize(padded(report.len()), 0);
        }
        if !report.is_empty() {
            let cause = Cause::UnrecognizedParameters(report.freeze());
            self.outbox.answer(path, Control::Error(vec![cause]));
        }
    }

    /// Opens paths to further addresses of the peer. They are unconfirmed at first. RFC 9260 §5.1.2, §5.4
    fn learn_addresses(&mut self, addresses: &[Address], locals: &[Address]) {
        let known = self.paths[self.paths.primary].via;
        let mut taken = vec![known.local];
        for (index, &remote) in acceptable(addresses, known.remote, locals).iter().enumerate() {
            if self.paths.len() < MAX_PATHS
                && self.paths.to_remote(remote).is_none()
                && let Some(local) = partner(locals, &taken, remote, index)
            {
                self.open_path(Via { local, remote }, false);
                taken.push(local);
            }
        }
    }

    /// Handles COOKIE ACK, which is ignored except in COOKIE-ECHOED. RFC 9260 §5.1 E, §5.2.5
    pub(super) fn handle_cookie_ack(&mut self, now: Time) {
        if matches!(self.state, State::CookieEchoed { .. }) {
            self.establish(now, Notice::Connected);
        }
    }

    /// Sends COOKIE ACK. On an unconfirmed path the same packet contains a HEARTBEAT. RFC 9260 §5.4
    ///
    /// If data uses another path, COOKIE ACK is sent there too: data that arrives earlier would be discarded.
    /// RFC 9260 §6
    pub(super) fn acknowledge_cookie(&mut self, now: Time, via: Via) {
        let path = self.paths.of(via).unwrap_or(self.paths.primary);
        self.outbox.answer(path, Control::CookieAck);
        if !self.paths[path].confirmed {
            self.paths.take_probe_turn(now, &self.config);
            self.send_heartbeat(now, path);
        }
        let data_path = self.paths.for_data(&self.config);
        if data_path != path {
            self.outbox.answer(data_path, Control::CookieAck);
        }
    }

    /// Handles the report of a stale cookie: sends a new INIT. RFC 9260 §5.2.6
    ///
    /// The new INIT has another tag. A peer that has established the association by another copy of the cookie or by an
    /// earlier cookie regards this as a restart. Late errors about earlier cookies do not carry the new tag. If the
    /// peer has already acknowledged data, it had established the association and has ended it. A new attempt could not
    /// continue that association.
    pub(super) fn handle_stale_cookie(&mut self, now: Time) {
        let limit = self.config.init_max_retransmissions;
        let State::CookieEchoed { opening, .. } = &mut self.state else { return };
        if self.sender.is_acknowledged(opening.init.initial_tsn) {
            return self.close(CloseReason::AbortedByPeer);
        }
        let mut opening = std::mem::take(opening);
        if opening.stale_cookies >= limit {
            return self.close(CloseReason::Unreachable);
        }
        opening.stale_cookies += 1;
        self.peer.renew(&mut self.random);
        opening.init.tag = self.peer.local_tag;
        self.enter(State::CookieWait(opening));
        self.setup_timeout(now);
    }

    /// Handles the expiry of T1: resends the chunk, up to Max.Init.Retransmits times. RFC 9260 §5.1 A, C
    pub(super) fn setup_timeout(&mut self, now: Time) {
        let limit = self.config.init_max_retransmissions;
        let Some(opening) = self.state.opening() else { return };
        if opening.retries >= limit {
            return self.close(CloseReason::Unreachable);
        }
        opening.retries += 1;
        self.send_opening(now);
    }

    /// Sends the chunk of the current state, each time on another path and with twice the timeout.
    fn send_opening(&mut self, now: Time) {
        let (chunk, retries) = match &self.state {
            State::CookieWait(opening) => (Control::Init(opening.init.clone()), opening.retries),
            State::CookieEchoed { opening, cookie } => {
                (Control::CookieEcho(Bytes::clone(cookie)), opening.retries)
            }
            _ => return,
        };
        let confirmed = self.paths.iter().filter(|path| path.confirmed).count();
        let path = PathId((retries as usize % confirmed) as u8);
        self.outbox.push(path, chunk);
        self.timers.set(Timer::Setup, now + self.setup_patience(retries, confirmed));
    }

    /// The time for which an attempt waits for its answer after `retries` retransmissions.
    fn setup_patience(&self, retries: u32, addresses: usize) -> Span {
        let doublings = match self.config.setup_timer_per_address {
            true => retries / addresses as u32,
            false => retries,
        };
        let factor = 1_u64.checked_shl(doublings).unwrap_or(u64::MAX);
        self.config.rto.initial.saturating_mul(factor).min(self.config.rto.max)
    }
}

/// The congestion control of an association without paths.
pub(super) fn controller(config: &Config) -> Controller {
    let algorithm =
        algorithm(&config.cc).expect("an endpoint checks the name before it opens anything");
    Controller::new(algorithm, config.profile)
}

/// The TSN of the first chunk. One random number is drawn in any case.
pub(crate) fn first_tsn(config: &Config, random: &mut Entropy) -> Tsn {
    let drawn = Tsn(random.next_u64() as u32);
    config.initial_tsn.unwrap_or(drawn)
}

/// The INIT body of an endpoint.
pub(crate) fn own_init(
    config: &Config,
    tag: u32,
    initial_tsn: Tsn,
    addresses: Vec<Address>,
) -> Init {
    Init {
        tag,
        window: u32::try_from(config.receive_buffer).unwrap_or(u32::MAX),
        outbound_streams: config.outbound_streams,
        inbound_streams: config.inbound_streams,
        initial_tsn,
        addresses,
        nr_sack: config.nr_sack,
        packet_drop_reports: config.packet_drop_reports,
        ..Init::default()
    }
}

/// Whether an INIT body is acceptable; if not, the error cause of the ABORT. Host names are never resolved.
/// RFC 9260 §3.3.2, §3.3.3, §5.1.2
pub(crate) fn check_init(init: &Init) -> Result<(), Cause> {
    if let Some(name) = init.offers.as_ref().and_then(|offers| offers.host_name.as_ref()) {
        return Err(Cause::UnresolvableAddress(name.clone()));
    }
    let sensible = init.tag != 0
        && init.outbound_streams > 0
        && init.inbound_streams > 0
        && init.window >= SMALLEST_WINDOW;
    if sensible { Ok(()) } else { Err(Cause::InvalidMandatoryParameter) }
}

/// The local addresses in order. The list is empty if there is only one, because the source of the packet identifies
/// it. RFC 9260 §5.1.2
fn own_addresses(vias: &[Via]) -> Vec<Address> {
    let addresses = distinct(vias.iter().map(|via| via.local));
    if addresses.len() > 1 { addresses } else { Vec::new() }
}

/// The addresses of the peer that are accepted: the first [`MAX_PATHS`] listed addresses that are unicast and that one
/// of `locals` reaches. An address with link or host scope is accepted only if `from`, the source of the list, has such
/// a scope too.
///
/// An unknown peer can therefore not make this side probe its own loopback addresses or those of its neighbours on the
/// link.
pub(crate) fn acceptable(listed: &[Address], from: Address, locals: &[Address]) -> Vec<Address> {
    let mut addresses: Vec<Address> = Vec::new();
    for &address in listed {
        if addresses.len() == MAX_PATHS {
            break;
        }
        let in_scope = address.scope() == Scope::Global || address.scope() == from.scope();
        let is_reachable = in_scope && locals.iter().any(|local| local.reaches(address));
        if address.is_unicast() && is_reachable && !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}

/// The local address for a further address of the peer. Among the unused ones it is the one with the longest common
/// prefix (RFC 6724 §5 rule 8), because peers list their addresses in any order. Otherwise it is the one with the
/// number `index` among those that reach the address.
fn partner(
    locals: &[Address],
    taken: &[Address],
    remote: Address,
    index: usize,
) -> Option<Address> {
    let able = || locals.iter().copied().filter(|local| local.reaches(remote));
    let common = |local: Address| (local.bits() ^ remote.bits()).leading_zeros();
    able()
        .filter(|local| !taken.contains(local))
        .min_by_key(|&local| Reverse(common(local)))
        .or_else(|| able().nth(index % able().count().max(1)))
}

/// Assigns to each address of the peer a local address of the same family. INIT determines one pair. RFC 9260 §5.1.2
fn pair_addresses(locals: &[Address], init: Via, peer: &[Address]) -> Vec<Via> {
    let mut vias: Vec<Via> = Vec::new();
    let mut taken = vec![init.local];
    let unlisted = (!peer.contains(&init.remote)).then_some(init.remote);
    for remote in unlisted.into_iter().chain(peer.iter().copied()).take(MAX_PATHS) {
        let index = vias.iter().filter(|via| via.remote.reaches(remote)).count();
        let shown = if remote == init.remote { Some(init.local) } else { None };
        let alone = if init.local.reaches(remote) { Some(init.local) } else { None };
        let local = shown.or_else(|| partner(locals, &taken, remote, index)).or(alone);
        if let Some(local) = local
            && vias.iter().all(|via| via.remote != remote)
        {
            vias.push(Via { local, remote });
            taken.push(local);
        }
    }
    vias
}

/// Smallest receive buffer that INIT may announce, in bytes. RFC 9260 §3.3.2
const SMALLEST_WINDOW: u32 = 1500;

#[cfg(test)]
mod tests {
    use super::*;

    fn a(path: u8) -> Address {
        Address::v4(10, path, 0, 1)
    }

    fn z(path: u8) -> Address {
        Address::v4(10, path, 0, 2)
    }

    fn pairs(local: &[Address], init: Via, peer: &[Address]) -> Vec<(Address, Address)> {
        pair_addresses(local, init, peer).iter().map(|via| (via.local, via.remote)).collect()
    }

    #[test]
    fn the_ith_address_of_the_peer_is_paired_with_the_ith_local_one() {
        let init = Via { local: z(0), remote: a(0) };
        assert_eq!(pairs(&[z(0), z(1)], init, &[a(0), a(1)]), [(z(0), a(0)), (z(1), a(1))]);
        // INIT used the second path: the pairs stay the same
        let init = Via { local: z(1), remote: a(1) };
        assert_eq!(pairs(&[z(0), z(1)], init, &[a(0), a(1)]), [(z(0), a(0)), (z(1), a(1))]);
    }

    #[test]
    fn a_peer_may_list_its_addresses_in_any_order() {
        // usrsctp lists the source address of INIT last
        let init = Via { local: z(0), remote: a(0) };
        assert_eq!(pairs(&[z(0), z(1)], init, &[a(1), a(0)]), [(z(1), a(1)), (z(0), a(0))]);
        let expected = [(z(2), a(2)), (z(1), a(1)), (z(0), a(0))];
        assert_eq!(pairs(&[z(0), z(1), z(2)], init, &[a(2), a(1), a(0)]), expected);
        // Without a common prefix, each local address still gets one of the peer's
        let far = |last| Address::v4(198, 51, 100, last);
        let expected = [(z(1), far(1)), (z(2), far(2)), (z(0), a(0)), (z(0), far(3))];
        let peer = [far(1), far(2), a(0), far(3)];
        assert_eq!(pairs(&[z(0), z(1), z(2)], init, &peer), expected);
    }

    #[test]
    fn more_addresses_than_local_ones_wrap_around() {
        let init = Via { local: z(0), remote: a(0) };
        assert_eq!(pairs(&[z(0)], init, &[a(0), a(1)]), [(z(0), a(0)), (z(0), a(1))]);
        assert_eq!(pairs(&[], init, &[]), [(z(0), a(0))]);
        assert_eq!(pairs(&[], init, &[a(1), v6(1)]), [(z(0), a(0)), (z(0), a(1))]);
    }

    fn v6(last: u128) -> Address {
        Address::from_bits(0x2001_0db8 << 96 | last)
    }

    #[test]
    fn an_address_is_paired_with_a_local_one_of_its_family() {
        let init = Via { local: z(0), remote: a(0) };
        let locals = [z(0), v6(1), z(1), v6(2)];
        let peer = [a(0), v6(8), v6(9), a(1)];
        let expected = [(z(0), a(0)), (v6(1), v6(8)), (v6(2), v6(9)), (z(1), a(1))];
        assert_eq!(pairs(&locals, init, &peer), expected);
        assert_eq!(pairs(&[z(0)], init, &peer), [(z(0), a(0)), (z(0), a(1))]);
    }

    #[test]
    fn only_plausible_listed_addresses_of_a_peer_are_accepted() {
        let loopback = Address::v4(127, 0, 0, 1);
        let neighbour = Address::from_bits(0xfe80 << 112 | 7);
        let listed = [a(1), Address::v4(224, 0, 0, 1), a(1), loopback, v6(1), neighbour, a(2)];
        let locals = [z(0), loopback];
        assert_eq!(acceptable(&listed, a(0), &locals), [a(1), a(2)]);
        assert_eq!(acceptable(&listed, loopback, &locals), [a(1), loopback, a(2)]);
        assert_eq!(acceptable(&listed, a(0), &[v6(9), neighbour]), [v6(1)]);
        let metadata = Address::v4(169, 254, 169, 254);
        let (link, here) = (Address::v4(169, 254, 0, 1), Address::v4(169, 254, 0, 2));
        assert_eq!(acceptable(&[a(1), metadata], a(0), &[z(0), here]), [a(1)]);
        assert_eq!(acceptable(&[a(1), metadata], link, &[z(0), here]), [a(1), metadata]);
        let many: Vec<Address> = (0..200).map(a).collect();
        assert_eq!(acceptable(&many, a(0), &locals), many[..MAX_PATHS]);
    }

    #[test]
    fn an_unlisted_source_address_is_accepted_too() {
        let init = Via { local: z(0), remote: a(7) };
        assert_eq!(pairs(&[z(0), z(1)], init, &[a(1)]), [(z(0), a(7)), (z(1), a(1))]);
    }
}
