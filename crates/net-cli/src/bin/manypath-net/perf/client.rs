//! The client, which requests a test.

use manypath_net::Peer;
use manypath_net_cli::perf::{self, TestDocument};

use super::Perf;
use super::show::Show;
use crate::failure::Failure;
use crate::local::Host;
use crate::stop::Stop;
use crate::watch::Watch;

/// Runs one test.
pub(crate) async fn run(perf: Perf, stop: Stop, watch: &Watch) -> Result<(), Failure> {
    let request = perf.request();
    request.check()?;
    let mut record = None;
    let mut show = Show::new(perf.form());
    let done = test(&perf, &request, &mut record, &mut show, stop, watch).await;
    if let Err(failure) = &done {
        show.failure(record, &failure.message);
    }
    done
}

async fn test(
    perf: &Perf,
    request: &perf::Request,
    record: &mut Option<TestDocument>,
    show: &mut Show,
    mut stop: Stop,
    watch: &Watch,
) -> Result<(), Failure> {
    let endpoint = watch.bind(perf.builder(0), 0).await?;
    let peer = Peer::new(Host::addresses(&perf.to, &perf.local.bind), perf.local.port);
    let peer = if perf.local.raw { peer.raw() } else { peer.encapsulation(perf.udp()) };
    let association = stop.or(async { Ok(endpoint.connect(peer).await?) }).await?;
    let ports = [endpoint.port(), perf.local.port];
    let begun =
        record.insert(TestDocument::new(&association, ports, request, &perf.local.cc, true));
    show.start(begun, &association);
    let watched = |interval: &perf::Interval| show.interval(begun, interval);
    let settings = perf.settings();
    let running = async { Ok(perf::run(&association, request, &settings, watched).await?) };
    match stop.or(running).await {
        Ok(outcome) => {
            show.outcome(record.take(), &outcome);
            // The results are complete, however the association ends
            stop.farewell(association.shutdown()).await;
            stop.farewell(endpoint.close()).await;
            Ok(())
        }
        Err(failure) => {
            association.abort(format!("the client gave up: {}", failure.message));
            stop.farewell(endpoint.close()).await;
            Err(failure)
        }
    }
}
