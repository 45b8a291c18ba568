//! Means over time of windows and queues.

use manypath_core::{Span, Time};

use crate::build::Laboratory;

/// Means over time of values that have no counter, from equidistant samples.
#[derive(Debug)]
pub(crate) struct Means {
    next: Time,
    samples: u64,
    path_counts: Vec<usize>,
    /// Paths of all flows, flow by flow.
    paths: Vec<PathSums>,
    queues: Vec<u64>,
}

/// Sums over samples; [`Means::path`] divides them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathSums {
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    pub(crate) srtt: f64,
    pub(crate) outstanding: f64,
}

impl Means {
    /// Means from `first` on; `path_counts` has the number of paths of each flow.
    pub(crate) fn new(first: Time, path_counts: &[usize], links: usize) -> Self {
        let paths = vec![PathSums::default(); path_counts.iter().sum()];
        Self {
            next: first,
            samples: 0,
            path_counts: path_counts.to_vec(),
            paths,
            queues: vec![0; links],
        }
    }

    /// The means of a path; paths are numbered through all flows.
    pub(crate) fn path(&self, index: usize) -> PathSums {
        let (sums, samples) = (self.paths[index], self.samples as f64);
        PathSums {
            cwnd: sums.cwnd / samples,
            ssthresh: sums.ssthresh / samples,
            srtt: sums.srtt / samples,
            outstanding: sums.outstanding / samples,
        }
    }

    /// The mean number of packets in the queue of a link.
    pub(crate) fn queue(&self, index: usize) -> f64 {
        self.queues[index] as f64 / self.samples as f64
    }

    /// When the next sample is due.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Adds a sample.
    pub(crate) fn look(&mut self, laboratory: &mut Laboratory) {
        let flows = laboratory.flows.iter().zip(&self.path_counts);
        let paths = flows.flat_map(|(&flow, &count)| (0..count).map(move |path| (flow, path)));
        for (sums, (flow, path)) in self.paths.iter_mut().zip(paths) {
            let view = laboratory.read_path(flow, path).source.stats.view();
            sums.cwnd += view.window as f64;
            sums.ssthresh += view.ssthresh as f64;
            sums.srtt += view.srtt.as_secs_f64();
            sums.outstanding += view.outstanding as f64;
        }
        for (sum, &link) in self.queues.iter_mut().zip(&laboratory.links) {
            *sum += laboratory.world.queue_len(link) as u64;
        }
        self.samples += 1;
        self.next += MEANS_EVERY;
    }
}

/// Windows change within a round trip, but means over minutes need no shorter interval.
const MEANS_EVERY: Span = Span::from_millis(100);
