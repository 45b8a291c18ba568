//! The loop of the real-time thread, which passes packets and the time to the router.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use manypath_core::{Span, Time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::clock::Clock;
use crate::lateness::Lateness;
use crate::report::{InterfaceReport, LinkReport, Snapshot};
use crate::router::Router;
use crate::tun::Tun;

/// Everything that the loop needs.
pub(crate) struct Driver {
    pub(crate) router: Router,
    pub(crate) clock: Clock,
    /// One interface per port of the router.
    pub(crate) tuns: Arc<[Tun]>,
    /// Becomes readable when the loop must end.
    pub(crate) stop: Arc<OwnedFd>,
    pub(crate) lateness: Lateness,
    /// Names of the core links, which are the first links.
    pub(crate) links: Vec<String>,
    /// Counters of each port.
    pub(crate) counts: Vec<InterfaceReport>,
    /// The receiver of snapshots.
    pub(crate) snapshots: SyncSender<Snapshot>,
    pub(crate) interval: Span,
    /// The thread wakes up this long before something is due, and then polls the clock.
    pub(crate) spin: Span,
}

impl Driver {
    /// Runs until it is stopped, or until an interface is gone.
    ///
    /// # Errors
    /// The system's error of the interface that is gone.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let tuns = Arc::clone(&self.tuns);
        let stop = Arc::clone(&self.stop);
        let mut fds: Vec<_> = tuns.iter().map(|tun| PollFd::new(tun, PollFlags::IN)).collect();
        fds.push(PollFd::new(&*stop, PollFlags::IN));
        let mut next_snapshot = Time::ZERO + self.interval;
        loop {
            let now = self.deliver();
            if now >= next_snapshot {
                // A reader that is too slow misses this snapshot and gets the next one.
                let snapshot = self.snapshot(now);
                let _ = self.snapshots.try_send(snapshot);
                next_snapshot = next_snapshot.max(now) + self.interval;
            }
            let due = self.router.poll_timeout().min(next_snapshot);
            let wait = due.saturating_since(self.clock.now()).saturating_sub(self.spin);
            sleep(&mut fds, wait)?;
            for (port, fd) in fds.iter().enumerate() {
                match fd.revents().is_empty() {
                    true => {}
                    false if port < tuns.len() => self.fetch(port)?,
                    false => return Ok(()),
                }
            }
        }
    }

    /// The counters so far.
    pub(crate) fn snapshot(&mut self, now: Time) -> Snapshot {
        let core = self.links.len();
        let mut links = indexmap::IndexMap::with_capacity(core);
        for link in 0..core {
            let waiting = self.router.queue_len(now, link);
            let counters = self.router.link(link).counters();
            links.insert(self.links[link].clone(), LinkReport::new(counters, waiting));
        }
        let lost_at_hosts = (core..self.router.links()).map(|link| {
            let counters = self.router.link(link).counters();
            counters.dropped() + counters.lost_in_all()
        });
        Snapshot {
            at: now.as_secs_f64(),
            links,
            lost_at_hosts: lost_at_hosts.sum(),
            interfaces: self.counts.clone(),
            lateness: self.lateness.report(),
            travelling: self.router.travelling() as u64,
        }
    }

    /// Delivers everything that is due; returns the time up to which it has done so.
    fn deliver(&mut self) -> Time {
        let now = self.clock.now();
        while let Some(delivery) = self.router.poll_delivery(now) {
            let is_taken = self.tuns[delivery.port].send(self.router.packet(delivery.packet));
            self.router.release(delivery.packet);
            let counts = &mut self.counts[delivery.port];
            if is_taken {
                counts.received += 1;
            } else {
                counts.refused += 1;
            }
            self.lateness.record(self.clock.now().saturating_since(delivery.due));
        }
        now
    }

    /// Reads some packets of one host. The number is limited, so that the other hosts get their turn and due packets
    /// leave.
    fn fetch(&mut self, port: usize) -> io::Result<()> {
        for _ in 0..BATCH {
            let Some(size) = self.tuns[port].receive(self.router.blank())? else { break };
            let counts = &mut self.counts[port];
            counts.sent += 1;
            counts.bytes_sent += size as u64;
            self.router.enter(self.clock.now(), port, size);
        }
        Ok(())
    }
}

/// Waits until a descriptor is ready, but no longer than `longest`.
fn sleep(fds: &mut [PollFd<'_>], longest: Span) -> io::Result<()> {
    let timeout = Timespec::try_from(Duration::from_nanos(longest.as_nanos())).ok();
    match poll(fds, timeout.as_ref()) {
        Err(Errno::INTR) | Ok(_) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The largest number of packets that are read from a port at once.
const BATCH: usize = 32;
