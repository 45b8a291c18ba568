//! INIT and COOKIE ECHO where an association stands already: both sides opened at once, or the peer restarted.
//! RFC 9260 §5.2

use manypath_core::{Address, Time, Via};

use super::cookie::Cookie;
use super::state::State;
use super::{Association, Notice};
use crate::packet::Init;

/// How an INIT for an association that stands is answered.
#[derive(Debug)]
pub(crate) enum InitAnswer {
    /// By INIT ACK with the very values of the INIT that was sent from here. RFC 9260 §5.2.1
    AsSent {
        /// The INIT as it was sent.
        own: Init,
        /// What the cookie shall remember of the association.
        tie_tag: u64,
    },
    /// By INIT ACK with a fresh tag: the peer may have restarted. RFC 9260 §5.2.2
    Fresh {
        /// What the cookie shall remember of the association.
        tie_tag: u64,
    },
    /// By ABORT: whoever restarts must not bring addresses along. RFC 9260 §5.2.2
    NewAddress(Address),
    /// By nothing but what the association may have queued.
    Nothing,
}

/// What became of a cookie.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CookieVerdict {
    /// The association stands, perhaps anew; what came behind the cookie counts.
    Accepted,
    /// It says nothing about this association.
    Discarded,
    /// The peer restarted while this side shuts down: SHUTDOWN ACK and an ERROR go out. RFC 9260 §5.2.4 A
    ShuttingDown,
}

impl Association {
    /// Whether this is the association with the peer at that port and address.
    pub(crate) fn is_with(&self, peer_port: u16, address: Address) -> bool {
        self.peer_port == peer_port && !self.is_closed() && self.has_address(address)
    }

    /// Decides how an INIT from the peer is answered; nothing changes but what is sent. RFC 9260 §5.2.1, §5.2.2
    pub(crate) fn answer_init(&mut self, via: Via, init: &Init) -> InitAnswer {
        let newcomer =
            init.addresses.iter().chain([&via.remote]).find(|address| !self.has_address(**address));
        match (&self.state, newcomer) {
            // RFC 9260 §5.2.1: in a collision, the answer goes to addresses only that the application named
            (State::CookieWait(_), _) if !self.has_address(via.remote) => InitAnswer::Nothing,
            (State::CookieWait(opening), _) => {
                InitAnswer::AsSent { own: Init::clone(&opening.init), tie_tag: 0 }
            }
            // RFC 9260 §9.2: SHUTDOWN COMPLETE must have been lost
            (State::ShutdownAckSent(path), _) => {
                self.repeat_shutdown_ack(*path);
                InitAnswer::Nothing
            }
            (_, Some(&address)) => InitAnswer::NewAddress(address),
            (State::CookieEchoed { opening, .. }, None) => {
                InitAnswer::AsSent { own: Init::clone(&opening.init), tie_tag: self.tie_tag }
            }
            (_, None) => InitAnswer::Fresh { tie_tag: self.tie_tag },
        }
    }

    /// Whether both tags are those of this association: then even an old cookie is good. RFC 9260 §5.2.4
    pub(crate) fn has_tags_of(&self, cookie: &Cookie) -> bool {
        self.local_tag == cookie.terms.local_tag && self.peer_tag == cookie.terms.peer_tag
    }

    /// Compares the tags of a valid cookie with those of the association. RFC 9260 §5.2.4, table 12
    pub(crate) fn handle_cookie(&mut self, now: Time, via: Via, cookie: &Cookie) -> CookieVerdict {
        let local = self.local_tag == cookie.terms.local_tag;
        let peer = self.peer_tag == cookie.terms.peer_tag;
        let tied = self.tie_tag == cookie.tie_tag;
        match (local, peer, tied) {
            // Action A: the peer has restarted
            (false, false, true) => return self.restart(now, via, cookie),
            // Action B: both sides opened at once, and the peer's second INIT is the one that counts
            (true, false, _) => self.take_second_init(now, cookie),
            // Action D: both sides opened at once, or COOKIE ACK was lost
            (true, true, _) => {
                if self.state.opening().is_some() {
                    self.establish(now, Notice::Connected);
                }
            }
            // Action C: a cookie of an earlier INIT came late
            _ => return CookieVerdict::Discarded,
        }
        self.acknowledge_cookie(now, via);
        CookieVerdict::Accepted
    }

    fn take_second_init(&mut self, now: Time, cookie: &Cookie) {
        let begins = matches!(self.state, State::CookieWait(_)) && self.peer_tag == 0;
        if self.state.opening().is_none() {
            self.peer_tag = cookie.terms.peer_tag;
            return;
        }
        self.adopt(&cookie.terms);
        if begins {
            self.begin_sending(&cookie.terms);
        }
        self.establish(now, Notice::Connected);
    }

    /// Restarts the association; its id and its counters stay. RFC 9260 §5.2.4 A
    fn restart(&mut self, now: Time, via: Via, cookie: &Cookie) -> CookieVerdict {
        if matches!(self.state, State::ShutdownAckSent(_)) {
            return CookieVerdict::ShuttingDown;
        }
        if self.config.detailed_events {
            self.report_undelivered();
            self.report_unfinished();
        }
        let mut restarted = Self::from_cookie(self.config.clone(), cookie, self.random.successor());
        restarted.stats = self.stats;
        restarted.notices = std::mem::take(&mut self.notices);
        self.enter(State::Closed);
        *self = restarted;
        self.acknowledge_cookie(now, via);
        self.establish(now, Notice::Restarted);
        CookieVerdict::Accepted
    }
}
