//! INIT and COOKIE ECHO for an existing association: both sides opened at the same time, or the peer restarted.
//! RFC 9260 §5.2

use manypath_core::{Address, Time, Via};

use super::cookie::Cookie;
use super::state::State;
use super::{Association, Notice};
use crate::packet::{Control, Init};

/// The answer to an INIT for an existing association.
#[derive(Debug)]
pub(crate) enum InitAnswer {
    /// INIT ACK with the values of the INIT that this side sent. RFC 9260 §5.2.1
    AsSent {
        /// The INIT that this side sent.
        own: Init,
        /// The tie tag for the cookie, which identifies the association.
        tie_tag: u64,
    },
    /// INIT ACK with a new tag: the peer may have restarted. RFC 9260 §5.2.2
    Fresh {
        /// The tie tag for the cookie, which identifies the association.
        tie_tag: u64,
    },
    /// ABORT: a restart must not add new addresses. RFC 9260 §5.2.2
    NewAddresses(Vec<Address>),
    /// No answer except chunks that the association may have queued.
    Nothing,
}

/// The result of a cookie.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CookieVerdict {
    /// The association is established or restarted; the chunks after COOKIE ECHO are processed.
    Accepted,
    /// The cookie does not belong to this association.
    Discarded,
    /// The peer restarted while this side shuts down: SHUTDOWN ACK and an ERROR are sent. RFC 9260 §5.2.4 A
    ShuttingDown,
}

impl Association {
    /// Whether this is the association with the peer at that port and address.
    pub(crate) fn is_with(&self, peer_port: u16, address: Address) -> bool {
        self.peer.port == peer_port && !self.is_closed() && self.paths.to_remote(address).is_some()
    }

    /// Decides how to answer an INIT from the peer. Only the outgoing chunks change, not the state.
    /// RFC 9260 §5.2.1, §5.2.2
    pub(crate) fn answer_init(&mut self, via: Via, init: &Init) -> InitAnswer {
        let newcomers = self.newcomers(via, init);
        match (&self.state, newcomers.is_empty()) {
            // RFC 9260 §5.2.1: in a collision, only addresses that the application named get an answer
            (State::CookieWait(_), _) if self.paths.to_remote(via.remote).is_none() => {
                InitAnswer::Nothing
            }
            (State::CookieWait(opening), _) => {
                InitAnswer::AsSent { own: Init::clone(&opening.init), tie_tag: 0 }
            }
            // RFC 9260 §9.2: SHUTDOWN COMPLETE was probably lost
            (State::ShutdownAckSent(path), _) => {
                self.outbox.answer(*path, Control::ShutdownAck);
                InitAnswer::Nothing
            }
            (_, false) => InitAnswer::NewAddresses(newcomers),
            (State::CookieEchoed { opening, .. }, true) => {
                InitAnswer::AsSent { own: Init::clone(&opening.init), tie_tag: self.peer.tie_tag }
            }
            (_, true) => InitAnswer::Fresh { tie_tag: self.peer.tie_tag },
        }
    }

    /// The addresses of an INIT, its source included, that the association does not have.
    fn newcomers(&self, via: Via, init: &Init) -> Vec<Address> {
        let unlisted = (!init.addresses.contains(&via.remote)).then_some(via.remote);
        let addresses = init.addresses.iter().copied().chain(unlisted);
        addresses.filter(|address| self.paths.to_remote(*address).is_none()).collect()
    }

    /// Compares the tags of a valid cookie with those of the association. RFC 9260 §5.2.4, table 12
    pub(crate) fn handle_cookie(&mut self, now: Time, via: Via, cookie: &Cookie) -> CookieVerdict {
        let local = self.peer.local_tag == cookie.terms.local_tag;
        let peer = self.peer.tag == cookie.terms.peer_tag;
        let tied = self.peer.tie_tag == cookie.tie_tag;
        match (local, peer, tied) {
            // Action A: the peer has restarted
            (false, false, true) => return self.restart(now, via, cookie),
            // Action B: both sides opened at the same time, and the peer's second INIT counts
            (true, false, _) => self.take_second_init(now, cookie),
            // Action D: both sides opened at the same time, or COOKIE ACK was lost
            (true, true, _) => {
                if self.state.opening().is_some() {
                    self.establish(now, Notice::Connected);
                }
            }
            // Action C: a late cookie of an earlier INIT
            _ => return CookieVerdict::Discarded,
        }
        self.acknowledge_cookie(now, via);
        CookieVerdict::Accepted
    }

    /// Adopts the values of the peer's second INIT; after the setup, only its tag. RFC 9260 §5.2.4 B
    fn take_second_init(&mut self, now: Time, cookie: &Cookie) {
        // No INIT ACK has arrived: the sender starts with the values of this cookie
        let begins = matches!(self.state, State::CookieWait(_)) && !self.peer.is_known();
        if self.state.opening().is_none() {
            self.peer.tag = cookie.terms.peer_tag;
            return;
        }
        self.adopt(&cookie.terms);
        if begins {
            self.keep_listed(cookie.via, &cookie.peer_addresses);
            self.begin_sending(&cookie.terms);
        }
        self.establish(now, Notice::Connected);
    }

    /// Restarts the association. Its identifier and its counters stay. RFC 9260 §5.2.4 A
    fn restart(&mut self, now: Time, via: Via, cookie: &Cookie) -> CookieVerdict {
        if matches!(self.state, State::ShutdownAckSent(_)) {
            return CookieVerdict::ShuttingDown;
        }
        if self.config.detailed_events {
            self.notices.push_unfinished(&mut self.sender, &self.receiver);
        }
        let mut restarted = Self::from_cookie(self.config.clone(), cookie, self.random.successor());
        restarted.stats = self.stats;
        restarted.notices = std::mem::take(&mut self.notices);
        self.enter(State::Closed(Vec::new()));
        *self = restarted;
        self.acknowledge_cookie(now, via);
        self.establish(now, Notice::Restarted);
        CookieVerdict::Accepted
    }
}
