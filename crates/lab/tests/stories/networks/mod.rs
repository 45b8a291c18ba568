//! Small networks for the tests, built without a document, and runs of them.

use std::thread;

use indexmap::IndexMap;
use manypath_core::{Rate, Span};
use manypath_lab::scenario::{Application, Flow, MessageSize, Network, Path, SctpFlow, TcpFlow};
use manypath_lab::{Job, Outcome, RunError, Scenario, Watch, run};
use manypath_link::queue::Capacity;
use manypath_link::{LinkConfig, QueueConfig};

/// A link with PPP framing and a drop-tail queue of this many packets.
pub(crate) fn link(megabits: f64, delay: Span, packets: u64) -> LinkConfig {
    LinkConfig {
        queue: QueueConfig::DropTail(Capacity::Packets(packets)),
        overhead: 7,
        ..LinkConfig::new(Rate::from_bits_per_second((megabits * 1e6) as u64), delay)
    }
}

/// Paths with a link of their own each; the reverse direction has the same rate and delay, and never a full queue.
pub(crate) fn disjoint<'a>(links: impl IntoIterator<Item = (&'a str, LinkConfig)>) -> Network {
    let mut network = Network { links: IndexMap::new(), paths: IndexMap::new(), access: access() };
    for (name, config) in links {
        let back = format!("{name}/back");
        let lossless = LinkConfig { loss: manypath_link::LossConfig::default(), ..config.clone() };
        network.links.insert(name.to_owned(), config);
        network.links.insert(back.clone(), lossless);
        network
            .paths
            .insert(name.to_owned(), Path { forward: vec![name.to_owned()], reverse: vec![back] });
    }
    network
}

/// This many paths over one bottleneck; they are called "0", "1", ...
pub(crate) fn shared(bottleneck: LinkConfig, paths: usize) -> Network {
    let mut network = disjoint([("bottleneck", bottleneck)]);
    let path = network.paths["bottleneck"].clone();
    network.paths = (0..paths).map(|index| (index.to_string(), path.clone())).collect();
    network
}

/// A flow of messages of 1452 bytes. Each message fills a packet.
pub(crate) fn flow(paths: &[&str], cc: &str) -> SctpFlow {
    SctpFlow {
        paths: paths.iter().map(|&path| path.to_owned()).collect(),
        cc: cc.to_owned(),
        app: Application::Saturated {
            message: MessageSize { min: 1452, max: 1452 },
            ordered: false,
        },
        ..SctpFlow::default()
    }
}

/// A TCP flow that fills packets of 1500 bytes.
pub(crate) fn tcp(path: &str) -> TcpFlow {
    let message = MessageSize { min: 1460, max: 1460 };
    let app = Application::Saturated { message, ordered: false };
    TcpFlow { paths: vec![path.to_owned()], app, ..TcpFlow::default() }
}

/// The flows on the network, for this number of seconds.
pub(crate) fn scenario<'a>(
    network: Network,
    flows: impl IntoIterator<Item = (&'a str, impl Into<Flow>)>,
    warmup: u64,
    measure: u64,
) -> Scenario {
    let flows = flows.into_iter().map(|(name, flow)| (name.to_owned(), flow.into())).collect();
    let (warmup, measure) = (Span::from_secs(warmup), Span::from_secs(measure));
    Scenario { network, flows, warmup, measure }
}

/// One run of a scenario that must be valid.
pub(crate) fn outcome(scenario: &Scenario, replication: u64) -> Outcome {
    scenario.validate().unwrap();
    run(scenario, Job { seed: 1, replication }, &Watch::default()).unwrap().0
}

/// The runs of all jobs, in their order, divided among this number of threads.
pub(crate) fn outcomes(
    jobs: &[(&Scenario, Job)],
    threads: usize,
) -> Vec<Result<Outcome, RunError>> {
    let run = |&(scenario, job): &(&Scenario, Job)| {
        run(scenario, job, &Watch::default()).map(|(outcome, _)| outcome)
    };
    thread::scope(|scope| {
        let parts = jobs.chunks(jobs.len().div_ceil(threads));
        let parts = parts.map(|part| scope.spawn(move || part.iter().map(run).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().expect("a run does not panic")).collect()
    })
}

fn access() -> Option<LinkConfig> {
    Some(link(1000.0, Span::ZERO, 10_000))
}

/// Requires a relative difference of at most `within`.
#[track_caller]
pub(crate) fn near(measured: f64, expected: f64, within: f64) {
    assert!(
        (measured / expected - 1.0).abs() <= within,
        "{measured:.4} is not {expected:.4} within {within}"
    );
}
