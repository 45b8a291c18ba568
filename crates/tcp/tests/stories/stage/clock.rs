//! Advances virtual time from one event to the next.

use manypath_core::{SansIo, Span, Time};

use super::{A, Network, Path, Stage, Z};

/// Upper limit of the instants of a story.
const MOST_TURNS: u64 = 200_000;

impl<N: Network> Stage<N> {
    /// Advances to the next event; returns false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let next = self.next();
        if next == Time::NEVER {
            return false;
        }
        assert!(next >= self.now, "time goes back from {} to {next}", self.now);
        self.turns += 1;
        assert!(self.turns < MOST_TURNS, "both sides send forever at {next}");
        self.now = next;
        for path in 0..self.network.paths().len() {
            while let Some((at, segment)) = self.network.paths_mut()[path].arrival(next) {
                self.deliver(at, path, segment);
            }
        }
        for side in [A, Z] {
            if self.endpoint(side).poll_timeout() <= next {
                self.act(side, SansIo::handle_timeout);
                assert!(
                    self.endpoint(side).poll_timeout() > next,
                    "{side:?} does not act on a timer at {next}"
                );
            }
        }
        true
    }

    /// Runs all events that are due within `span`.
    pub(crate) fn drive(&mut self, span: Span) {
        let end = self.now + span;
        while self.next() <= end {
            self.step();
        }
        self.now = end;
    }

    /// Runs events until `done` holds; returns the elapsed time.
    pub(crate) fn drive_until(&mut self, done: impl FnMut(&mut Self) -> bool) -> Span {
        self.drive_at_most(Span::from_secs(3600), done)
    }

    /// Runs events until `done` holds, which must be within `limit`; returns the elapsed time.
    pub(super) fn drive_at_most(
        &mut self,
        limit: Span,
        mut done: impl FnMut(&mut Self) -> bool,
    ) -> Span {
        let start = self.now;
        while !done(self) {
            assert!(self.step(), "nothing happens any more: {}", self.account());
            assert!(self.now < start + limit, "it takes more than {limit}: {}", self.account());
        }
        self.now - start
    }

    /// Runs events until no segment is in flight.
    pub(crate) fn settle(&mut self) {
        while self.network.paths().iter().any(|path| path.poll_timeout() != Time::NEVER) {
            self.step();
        }
    }

    /// The time of the next event.
    fn next(&self) -> Time {
        let paths = self.network.paths().iter().map(Path::poll_timeout);
        self.endpoints.iter().map(SansIo::poll_timeout).chain(paths).fold(Time::NEVER, Time::min)
    }
}
