//! Finds the events of an endpoint's associations and writes them to the log.

use std::net::{IpAddr, SocketAddr};

use manypath_core::{Address, Packet as _, PathId, Time, Via};
use manypath_events::{Content, EndWatch, Event, Form, Line, PathView, Side};
use manypath_sctp::{self as sctp, AssociationId, Control, Endpoint, Packet};

use super::{EventLog, Open};
use crate::driver::slot;
use crate::events::subject;
use crate::socket::Arrival;

/// Writes the events of an endpoint.
#[derive(Debug)]
pub(crate) struct Recorder {
    log: EventLog,
    /// By the slot of the association.
    ends: Vec<Option<End>>,
    /// The association that sent last, unless its changes have been recorded since.
    sender: Option<AssociationId>,
}

/// The recorded state of an association.
#[derive(Debug)]
struct End {
    id: AssociationId,
    /// `None` after its end.
    watched: Option<Watched>,
}

/// An association that has not ended.
#[derive(Debug)]
struct Watched {
    name: String,
    side: Side,
    peer_port: u16,
    end: EndWatch,
    /// The paths with their names.
    paths: Vec<(Via, String)>,
}

impl Recorder {
    pub(crate) fn new(log: EventLog) -> Self {
        log.file.begin(Open::new);
        Self { log, ends: Vec::new(), sender: None }
    }

    /// Records that the application opens an association.
    pub(crate) fn opens(&mut self, now: Time, core: &Endpoint, id: AssociationId) {
        self.update(now, core, id, Side::Source, |watched, open| {
            let Watched { name, side, end, .. } = watched;
            end.start(|event| open.write(&line(now, name, *side, None, event)));
        });
        self.look(now, core, id);
    }

    /// Records a received packet before it is handled.
    pub(crate) fn receives(
        &self,
        now: Time,
        core: &Endpoint,
        arrival: Arrival<'_>,
        packet: &Packet,
    ) {
        let via = arrival.via;
        let content = Content { form: Form::Sctp(packet), length: arrival.network_length() };
        let owner = core.association_of(packet).and_then(|id| self.watched(id));
        let outside = (packet.source_port, Side::Sink);
        self.write_packet(now, via, owner, outside, &Event::PacketReceived(content));
    }

    /// Records the effects of a received packet.
    pub(crate) fn has_handled(&mut self, now: Time, core: &Endpoint, packet: &Packet) {
        if let Some(id) = core.association_of(packet) {
            self.look(now, core, id);
        }
    }

    /// Records the effects of expired timers.
    pub(crate) fn times_out(&mut self, now: Time, core: &Endpoint) {
        for id in core.ready() {
            self.look(now, core, id);
        }
    }

    /// Records a sent packet.
    pub(crate) fn sends(&mut self, now: Time, core: &Endpoint, via: Via, packet: &Packet) {
        let port = packet.destination_port;
        let initiate_tag = match packet.control.first() {
            Some(Control::Init(init)) => Some(init.tag),
            _ => None,
        };
        let sender = core.path_of_sent(via.remote, port, packet.tag, initiate_tag);
        let sender = sender.map(|(id, _)| id);
        let sender = sender.or_else(|| self.sender_of(via.remote, packet));
        if self.sender != sender {
            self.has_sent(now, core);
            self.sender = sender;
        }
        let content = Content { form: Form::Sctp(packet), length: packet.size() as u32 };
        let owner = sender.and_then(|id| self.watched(id));
        let outside = (port, Side::Sink);
        self.write_packet(now, via, owner, outside, &Event::PacketSent(content));
    }

    /// Records the effects of the last sent packets.
    pub(crate) fn has_sent(&mut self, now: Time, core: &Endpoint) {
        if let Some(id) = self.sender.take() {
            self.look(now, core, id);
        }
    }

    /// Records an event of the state machine.
    pub(crate) fn hears(&mut self, now: Time, core: &Endpoint, event: &sctp::Event) {
        let (id, _) = subject(event);
        self.look(now, core, id);
        match *event {
            sctp::Event::Connected(_) => self.connects(now, id),
            sctp::Event::Closed { reason, .. } => self.closes(now, id, reason),
            _ => {}
        }
    }

    fn connects(&mut self, now: Time, id: AssociationId) {
        let Some(watched) = watched_mut(&mut self.ends, id) else { return };
        let Watched { name, side, end, .. } = watched;
        self.log.file.while_open(|open| {
            end.connect(|event| open.write(&line(now, name, *side, None, event)));
        });
    }

    fn closes(&mut self, now: Time, id: AssociationId, reason: sctp::CloseReason) {
        if let Some(watched) = watched_mut(&mut self.ends, id) {
            let Watched { name, side, end, .. } = watched;
            self.log.file.while_open(|open| {
                end.close(reason.into(), |event| open.write(&line(now, name, *side, None, event)));
            });
        }
        if let Some(Some(end)) = self.ends.get_mut(slot(id))
            && end.id == id
        {
            end.watched = None;
        }
    }

    /// Writes the changes of an association since the last call.
    fn look(&mut self, now: Time, core: &Endpoint, id: AssociationId) {
        // A side that has not opened the association has accepted it
        self.update(now, core, id, Side::Sink, |watched, open| {
            let Watched { name, side, end, paths, .. } = watched;
            for (path, (_, path_name)) in paths.iter().enumerate() {
                let view = PathView::from(&core.path_stats(id, PathId(path as u8)));
                let mut write =
                    |event: &Event<'_>| open.write(&line(now, name, *side, Some(path_name), event));
                end.look_at_path(path, view, &mut write);
                let blocked = || core.blocked(now, id, PathId(path as u8));
                end.look_at_blocked(now, path, blocked, &mut write);
            }
            end.look_at_marks(core.stats(id).into(), |event| {
                open.write(&line(now, name, *side, None, event));
            });
        });
    }

    /// Updates the recorded state of an association, unless it has ended. A new one is recorded as opened by `side`.
    fn update(
        &mut self,
        now: Time,
        core: &Endpoint,
        id: AssociationId,
        side: Side,
        act: impl FnOnce(&mut Watched, &mut Open),
    ) {
        self.log.file.while_open(|open| {
            let slot = slot(id);
            if slot >= self.ends.len() {
                self.ends.resize_with(slot + 1, || None);
            }
            let place = &mut self.ends[slot];
            if place.as_ref().is_none_or(|end| end.id != id) {
                let Some(mut watched) = Watched::new(core, id, side, open) else { return };
                if side == Side::Sink {
                    let Watched { name, end, .. } = &mut watched;
                    end.connect(|event| open.write(&line(now, name, side, None, event)));
                }
                *place = Some(End { id, watched: Some(watched) });
            }
            if let Some(watched) = place.as_mut().and_then(|end| end.watched.as_mut()) {
                // The state machine has forgotten associations that ended before they were accepted
                if watched.learn_paths(core, id) {
                    act(watched, open);
                }
            }
        });
    }

    fn watched(&self, id: AssociationId) -> Option<&Watched> {
        let end = self.ends.get(slot(id))?.as_ref().filter(|end| end.id == id)?;
        end.watched.as_ref()
    }

    /// The association that sends a packet which the state machine does not find by its tag: an INIT, or the last
    /// packet of an association, which is sent after its end.
    fn sender_of(&self, remote: Address, packet: &Packet) -> Option<AssociationId> {
        let is_own = matches!(
            packet.control.first(),
            Some(
                Control::Init(_)
                    | Control::Abort { reflected: false, .. }
                    | Control::ShutdownComplete { reflected: false }
            )
        );
        let is_with = |watched: &Watched| {
            watched.peer_port == packet.destination_port
                && watched.paths.iter().any(|(via, _)| via.remote == remote)
        };
        let found = self.ends.iter().flatten().filter(|_| is_own);
        let mut found = found.filter(|end| end.watched.as_ref().is_some_and(is_with));
        found.next().map(|end| end.id)
    }

    /// Writes an event of a packet. Without an association, its flow is the peer.
    fn write_packet(
        &self,
        now: Time,
        via: Via,
        owner: Option<&Watched>,
        (port, side): (u16, Side),
        event: &Event<'_>,
    ) {
        let known_path = owner.and_then(|watched| {
            let (_, path) = watched.paths.iter().find(|(known, _)| *known == via)?;
            Some((watched, path))
        });
        self.log.file.while_open(|open| {
            if let Some((watched, path)) = known_path {
                return open.write(&line(now, &watched.name, watched.side, Some(path), event));
            }
            let (name, path) = (peer_name(via, port), path_name(via));
            let (name, side) =
                owner.map_or((name.as_str(), side), |owner| (owner.name.as_str(), owner.side));
            open.write(&line(now, name, side, Some(&path), event));
        });
    }
}

impl Watched {
    /// The state of a new association; `None` if the state machine has forgotten it.
    fn new(core: &Endpoint, id: AssociationId, side: Side, open: &mut Open) -> Option<Self> {
        let (via, peer_port) = (core.path_via(id, PathId(0))?, core.peer_port(id)?);
        open.associations += 1;
        let name = format!("{}#{}", peer_name(via, peer_port), open.associations);
        Some(Self { name, side, peer_port, end: EndWatch::default(), paths: Vec::new() })
    }

    /// Names new paths; returns whether the association has any. INIT ACK may remove paths, so that others get their
    /// numbers.
    fn learn_paths(&mut self, core: &Endpoint, id: AssociationId) -> bool {
        let last = self.paths.len().wrapping_sub(1) as u8;
        if let Some((via, _)) = self.paths.last()
            && core.path_via(id, PathId(last)) != Some(*via)
        {
            self.paths.clear();
        }
        while let Some(via) = core.path_via(id, PathId(self.paths.len() as u8)) {
            self.paths.push((via, path_name(via)));
        }
        core.path_via(id, PathId(0)).is_some()
    }
}

/// The recorded state of an association that has not ended.
fn watched_mut(ends: &mut [Option<End>], id: AssociationId) -> Option<&mut Watched> {
    let end = ends.get_mut(slot(id))?.as_mut().filter(|end| end.id == id)?;
    end.watched.as_mut()
}

fn line<'a>(
    now: Time,
    flow: &'a str,
    host: Side,
    path: Option<&'a String>,
    event: &'a Event<'a>,
) -> Line<'a> {
    Line { time: now.as_secs_f64(), flow, host, path: path.map(String::as_str), event }
}

fn peer_name(via: Via, port: u16) -> String {
    SocketAddr::new(via.remote.into(), port).to_string()
}

fn path_name(via: Via) -> String {
    let [local, remote] = [via.local, via.remote].map(IpAddr::from);
    format!("{local} -> {remote}")
}
