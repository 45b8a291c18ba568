//! Invariants of the sending side. Debug builds check them after every SACK and every timeout.

use manypath_core::{PathId, Tsn};

use super::Sender;
use super::flight::Flight;
use super::outstanding::{ChunkState, SentChunk};

impl Sender {
    /// Panics if the counters of the sending side contradict each other.
    ///
    /// A check takes time for every outstanding chunk. With many chunks only one call in [`PAUSE`] checks.
    pub(crate) fn check(&self) {
        let tsns =
            || std::iter::successors(Some(self.outstanding.first_tsn()), |tsn| Some(tsn.next()));
        let count = self.outstanding.len();
        if count > FEW && !self.outstanding.first_tsn().0.is_multiple_of(PAUSE) {
            return;
        }
        let chunks = || tsns().take(count).filter_map(|tsn| self.outstanding.get(tsn));
        let held: usize = chunks().map(|chunk| chunk.payload.len()).sum();
        assert_eq!(self.buffered, self.queue.bytes() + held, "the send buffer");
        assert!(self.buffered <= self.buffer, "the send buffer overflows");

        let in_flight = |state| state == ChunkState::InFlight;
        let flying: usize =
            chunks().filter(|chunk| in_flight(chunk.state)).map(|chunk| chunk.payload.len()).sum();
        assert_eq!(self.in_flight, flying as u64, "payload in flight");
        let lost = chunks().filter(|chunk| chunk.state == ChunkState::Lost);
        let lost: u64 = lost.map(|chunk| u64::from(chunk.length)).sum();
        assert_eq!(self.lost_payload, lost, "payload that waits to be sent again");
        for (path, flight) in (0..).map(PathId).zip(&self.flights) {
            self.check_flight(path, flight);
            let holds =
                |chunk: &&SentChunk| chunk.state != ChunkState::Kept && chunk.holder() == path;
            let held: usize = chunks().filter(holds).map(|chunk| chunk.payload.len()).sum();
            assert_eq!(flight.buffered(), held as u64, "what {path:?} holds of the send buffer");
            let kept = |chunk: &&SentChunk| {
                chunk.state == ChunkState::Kept && chunk.path == path && chunk.is_ordered()
            };
            let kept: u64 = chunks().filter(kept).map(|chunk| u64::from(chunk.length)).sum();
            assert_eq!(flight.kept_ordered, kept, "what the peer keeps of {path:?}");
            let waits = |tsn| self.outstanding.get(tsn).is_some_and(|chunk| chunk.waits_for(path));
            let waiting = || tsns().take(count).filter(|tsn| waits(*tsn));
            assert_eq!(flight.lost_chunks() as usize, waiting().count(), "chunks lost on {path:?}");
            assert!(waiting().all(|tsn| flight.has_put_down(tsn)), "{path:?} forgets a lost chunk");
        }
        let probes = self.flights.iter().filter(|flight| flight.probe.is_some()).count();
        assert_eq!(self.probes, probes, "paths that probe the peer's window");
        let linked: u64 = self.flights.iter().map(Flight::payload).sum();
        assert_eq!(self.in_flight, linked, "payload in flight on the paths");
    }

    /// Checks that the list of a flight ascends, contains the chunks in flight on its path, and has the right sums.
    fn check_flight(&self, path: PathId, flight: &Flight) {
        let (mut before, mut next) = (None, flight.head());
        let (mut bytes, mut payload) = (0, 0);
        while let Some(tsn) = next {
            let chunk = self.outstanding.get(tsn).expect("a chunk in flight is outstanding");
            assert_eq!(
                (chunk.state, chunk.path),
                (ChunkState::InFlight, path),
                "{tsn} is in the wrong flight"
            );
            assert_eq!(chunk.before(tsn), before, "the list of {path:?} is torn before {tsn}");
            assert!(
                before.is_none_or(|before: Tsn| before.is_before(tsn)),
                "{tsn} is out of order"
            );
            bytes += u64::from(chunk.counted);
            payload += chunk.payload.len() as u64;
            (before, next) = (next, chunk.after(tsn));
        }
        assert_eq!(flight.tail(), before, "the list of {path:?} does not end at its tail");
        assert_eq!((flight.bytes(), flight.payload()), (bytes, payload), "the sums of {path:?}");
    }
}

/// With at most this number of chunks every call checks.
const FEW: usize = 32;
/// With more chunks a check takes place once per this number of TSNs.
const PAUSE: u32 = 64;
