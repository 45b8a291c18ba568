//! Packets that open an association, and packets that belong to none. RFC 9260 §5.1, §5.2, §8.4, §8.5

use std::sync::Arc;

use manypath_core::{Time, Via};

use super::{Endpoint, Reply};
use crate::association::{
    Association, Cookie, CookieVerdict, InitAnswer, Terms, check_init, first_tsn, own_init,
};
use crate::packet::{Cause, Control, Init, Packet};

impl Endpoint {
    /// Takes a packet with control chunks if it needs more than the association that its tag names; whether it was
    /// taken.
    pub(super) fn handle_special(&mut self, now: Time, via: Via, packet: &mut Packet) -> bool {
        let is_alone = packet.control.len() == 1 && !packet.has_sack && packet.data.is_empty();
        match packet.control.first() {
            Some(first) if must_be_alone(first) && !is_alone => {}
            Some(Control::Init(_)) => self.handle_init(now, via, packet),
            Some(Control::CookieEcho(_)) => self.handle_cookie_echo(now, via, packet),
            Some(Control::ShutdownAck) => return self.refuse_early_shutdown_ack(via, packet),
            _ if packet.control.iter().any(is_reflected) => self.handle_reflected(now, via, packet),
            _ => return false,
        }
        true
    }

    /// Answers INIT without keeping anything. RFC 9260 §5.1 B, §5.2.1, §5.2.2
    fn handle_init(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let Some(Control::Init(init)) = packet.control.pop() else { return };
        if packet.tag != 0 || init.tag == 0 {
            return;
        }
        let port = packet.source_port;
        if let Err(cause) = check_init(&init) {
            return self.reply(via, port, init.tag, abort(cause));
        }
        let is_sender = |association: &Association| {
            [via.remote]
                .iter()
                .chain(&init.addresses)
                .any(|&address| association.is_with(port, address))
        };
        let answer = self.find(is_sender).map(|association| association.answer_init(via, &init));
        let (own, tie_tag) = match answer {
            None => (self.fresh_init(), 0),
            Some(InitAnswer::Fresh { tie_tag }) => (self.fresh_init(), tie_tag),
            Some(InitAnswer::AsSent { own, tie_tag }) => {
                self.jar.spend(now, own.tag, now + self.config.cookie_life);
                (own, tie_tag)
            }
            Some(InitAnswer::NewAddress(address)) => {
                let cause = Cause::RestartWithNewAddresses(address);
                return self.reply(via, port, init.tag, abort(cause));
            }
            Some(InitAnswer::Nothing) => return,
        };
        let cookie = Cookie {
            terms: Terms::between(&own, &init),
            created: now,
            tie_tag,
            peer_port: port,
            via,
            peer_addresses: init.addresses,
        };
        let answer = Init { cookie: Some(self.jar.seal(&cookie)), ..own };
        self.reply(via, port, init.tag, Control::InitAck(Box::new(answer)));
    }

    fn fresh_init(&mut self) -> Init {
        let tag = self.fresh_tag();
        let initial_tsn = first_tsn(&self.config, &mut self.random);
        let addresses =
            if self.config.local.len() > 1 { self.config.local.clone() } else { Vec::new() };
        own_init(&self.config, tag, initial_tsn, addresses)
    }

    /// Makes, confirms or restarts an association from a cookie, then takes what came behind it. RFC 9260 §5.1.5, §5.2.4
    fn handle_cookie_echo(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let Control::CookieEcho(sealed) = packet.control.remove(0) else { return };
        let Some(cookie) = self.jar.open(&sealed) else { return };
        let port = packet.source_port;
        if port != cookie.peer_port || packet.tag != cookie.terms.local_tag {
            return;
        }
        let life = self.config.cookie_life;
        let known = self.find(|association| {
            association.is_with(port, via.remote) || association.is_with(port, cookie.via.remote)
        });
        let is_its_own = known.as_ref().is_some_and(|association| association.has_tags_of(&cookie));
        if let Some(late) = cookie.staleness(now, life).filter(|_| !is_its_own) {
            let late = u32::try_from(late.as_nanos() / 1_000).unwrap_or(u32::MAX);
            return self.reply(
                via,
                port,
                cookie.terms.peer_tag,
                Control::Error(Cause::StaleCookie(late)),
            );
        }
        let Some(association) = known else { return self.accept(now, via, &cookie, packet) };
        match association.handle_cookie(now, via, &cookie) {
            CookieVerdict::Accepted => {
                association.handle_packet(now, via, packet);
                self.jar.spend(now, cookie.terms.local_tag, cookie.created + life);
            }
            CookieVerdict::Discarded => {}
            CookieVerdict::ShuttingDown => {
                self.reply(via, port, cookie.terms.peer_tag, Control::ShutdownAck);
                let error = Control::Error(Cause::CookieWhileShuttingDown);
                self.reply(via, port, cookie.terms.peer_tag, error);
            }
        }
    }

    /// Opens the association that a cookie describes.
    ///
    /// Unlike RFC 9260 §5.1.5: a copy that comes after the end of that association is answered with ABORT, because the
    /// peer may still believe in it, and what was acknowledged there would be missing in a new one with the same tags.
    fn accept(&mut self, now: Time, via: Via, cookie: &Cookie, packet: &mut Packet) {
        let terms = &cookie.terms;
        if !self.jar.spend(now, terms.local_tag, cookie.created + self.config.cookie_life) {
            let abort = Control::Abort { reflected: false, cause: None };
            return self.reply(via, packet.source_port, terms.peer_tag, abort);
        }
        let (config, random) = (Arc::clone(&self.config), self.next_stream());
        let id = self.add(Association::accept(now, config, cookie, via, random));
        if let Some(association) = self.association_mut(id) {
            association.handle_packet(now, via, packet);
        }
    }

    /// SHUTDOWN ACK of an association that this side has forgotten and opens anew; whether it was one. RFC 9260 §8.5.1 E
    fn refuse_early_shutdown_ack(&mut self, via: Via, packet: &Packet) -> bool {
        let (tag, port) = (packet.tag, packet.source_port);
        let opens = self
            .find(|association| association.is_with(port, via.remote) && association.is_opening())
            .is_some();
        if opens {
            self.reply(via, port, tag, Control::ShutdownComplete { reflected: true });
        }
        opens
    }

    /// ABORT and SHUTDOWN COMPLETE with the T bit carry the tag of their receiver's packets. RFC 9260 §8.5.1 B, C
    fn handle_reflected(&mut self, now: Time, via: Via, packet: &mut Packet) {
        let (tag, port) = (packet.tag, packet.source_port);
        let was_meant = |association: &Association| {
            tag != 0 && association.peer_tag() == tag && association.is_with(port, via.remote)
        };
        if let Some(association) = self.find(was_meant) {
            association.handle_packet(now, via, packet);
        }
    }

    /// Answers a packet whose tag no association has. RFC 9260 §8.4, §8.5
    pub(super) fn answer_stray(&mut self, via: Via, packet: &Packet) {
        let (tag, port) = (packet.tag, packet.source_port);
        let is_known = self.find(|association| association.is_with(port, via.remote)).is_some();
        let must_be_silent = |chunk: &Control| {
            matches!(
                chunk,
                Control::Abort { .. }
                    | Control::ShutdownComplete { .. }
                    | Control::CookieAck
                    | Control::Error(Cause::StaleCookie(_))
            )
        };
        if is_known || tag == 0 || packet.control.iter().any(must_be_silent) {
            return;
        }
        let chunk = if matches!(packet.control.first(), Some(Control::ShutdownAck)) {
            Control::ShutdownComplete { reflected: true }
        } else {
            Control::Abort { reflected: true, cause: None }
        };
        self.reply(via, port, tag, chunk);
    }

    fn reply(&mut self, via: Via, port: u16, tag: u32, chunk: Control) {
        self.replies.push_back(Reply { via, port, tag, chunk });
    }
}

/// INIT, INIT ACK and SHUTDOWN COMPLETE share their packet with nothing. RFC 9260 §6.10
fn must_be_alone(chunk: &Control) -> bool {
    matches!(chunk, Control::Init(_) | Control::InitAck(_) | Control::ShutdownComplete { .. })
}

fn is_reflected(chunk: &Control) -> bool {
    matches!(
        chunk,
        Control::Abort { reflected: true, .. } | Control::ShutdownComplete { reflected: true }
    )
}

fn abort(cause: Cause) -> Control {
    Control::Abort { reflected: false, cause: Some(cause) }
}
