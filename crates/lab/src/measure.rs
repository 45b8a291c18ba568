//! From two readings and the means between them to the outcome.

use indexmap::IndexMap;
use manypath_link::{Counters, LinkConfig};

use crate::observe::Means;
use crate::outcome::{FlowOutcome, LinkOutcome, Outcome, PathOutcome};
use crate::reading::{FlowReading, PathReading, Reading};
use crate::scenario::Scenario;

/// What happened between `before` and `after`, which are the measured time apart.
pub(crate) fn measure(
    scenario: &Scenario,
    before: &Reading,
    after: &Reading,
    means: &Means,
) -> Outcome {
    let seconds = scenario.measure.as_secs_f64();
    let flows = flows(scenario, before, after, means, seconds);
    let links = scenario.network.links.iter().enumerate();
    let links = links.map(|(index, (name, link))| {
        let counters = (&before.links[index], &after.links[index]);
        let outcome =
            LinkOutcome { mean_queue: means.queue(index), ..of_link(link, counters, seconds) };
        (name.clone(), outcome)
    });
    Outcome {
        flows,
        links: links.collect(),
        data_packets: after.flows.iter().map(|flow| flow.source.data_packets_sent).sum(),
        ..Outcome::default()
    }
}

fn flows(
    scenario: &Scenario,
    before: &Reading,
    after: &Reading,
    means: &Means,
    seconds: f64,
) -> IndexMap<String, FlowOutcome> {
    let mut path = 0;
    let flows = scenario.flows.iter().enumerate();
    let outcomes = flows.map(|(index, (name, flow))| {
        let paths = flow.paths.iter().map(|path_name| {
            let outcome = of_path((&before.paths[path], &after.paths[path]), means, path, seconds);
            path += 1;
            (path_name.clone(), outcome)
        });
        let paths = paths.collect();
        let outcome = of_flow((&before.flows[index], &after.flows[index]), paths, seconds);
        (name.clone(), outcome)
    });
    outcomes.collect()
}

fn of_flow(
    (before, after): (&FlowReading, &FlowReading),
    paths: IndexMap<String, PathOutcome>,
    seconds: f64,
) -> FlowOutcome {
    let delivered_bytes = after.delivered_bytes - before.delivered_bytes;
    let again = |reading: &FlowReading| {
        reading.source.fast_retransmissions + reading.source.timer_retransmissions
    };
    FlowOutcome {
        goodput: 8.0 * delivered_bytes as f64 / seconds,
        delivered_bytes,
        delivered_messages: after.delivered_messages - before.delivered_messages,
        data_packets: after.source.data_packets_sent - before.source.data_packets_sent,
        fast_retransmissions: paths.values().map(|path| path.fast_retransmissions).sum(),
        timeouts: after.source.timeouts - before.source.timeouts,
        retransmitted_chunks: again(after) - again(before),
        duplicate_chunks: after.sink.duplicates_received - before.sink.duplicates_received,
        closed: None,
        paths,
    }
}

fn of_path(
    (before, after): (&PathReading, &PathReading),
    means: &Means,
    index: usize,
    seconds: f64,
) -> PathOutcome {
    let mean = means.path(index);
    PathOutcome {
        goodput: 8.0 * (after.sink.bytes_received - before.sink.bytes_received) as f64 / seconds,
        cwnd: mean.cwnd,
        ssthresh: mean.ssthresh,
        srtt: mean.srtt,
        outstanding: mean.outstanding,
        data_packets: after.source.data_packets_sent - before.source.data_packets_sent,
        fast_retransmissions: after.source.window_cuts - before.source.window_cuts,
        timeouts: after.source.timeouts - before.source.timeouts,
    }
}

fn of_link(
    link: &LinkConfig,
    (before, after): (&Counters, &Counters),
    seconds: f64,
) -> LinkOutcome {
    let delivered = after.delivered - before.delivered;
    let lost = after.lost_in_all() - before.lost_in_all();
    let bytes = after.bytes_delivered - before.bytes_delivered;
    let bytes_lost = after.bytes_lost - before.bytes_lost;
    let on_the_wire = bytes + bytes_lost + link.overhead * (delivered + after.lost - before.lost);
    LinkOutcome {
        arrived: after.arrived - before.arrived,
        delivered,
        dropped: after.dropped() - before.dropped(),
        lost,
        bytes,
        utilisation: 8.0 * on_the_wire as f64 / (link.rate.bits_per_second() as f64 * seconds),
        mean_queue: 0.0,
    }
}
