//! The server, which waits for tests.

use std::time::Duration;

use manypath_net::{Association, Endpoint};
use manypath_net_cli::perf::{self, TestDocument};
use manypath_program::tell;
use tokio::time::timeout;

use super::Perf;
use super::show::Show;
use crate::addresses::tell_waiting;
use crate::failure::Failure;
use crate::stop::Stop;
use crate::watch::Watch;

/// Serves one test, or tests until the program is stopped.
pub(crate) async fn run(perf: Perf, mut stop: Stop, watch: &Watch) -> Result<(), Failure> {
    let builder = perf.builder(perf.udp()).listen(BACKLOG);
    let endpoint = watch.bind(builder, perf.local.port).await?;
    tell_waiting(&endpoint);
    let done = loop {
        let association = match stop.or(async { Ok(endpoint.accept().await?) }).await {
            Ok(association) => association,
            // No test is running: Ctrl-C is the normal end of a server
            Err(failure) if failure.is_interruption() => break Ok(()),
            Err(failure) => break Err(failure),
        };
        let done = stop.or(alone(&endpoint, serve(&association, &endpoint, &perf))).await;
        match &done {
            // The client ends the association after it has received the results
            Ok(()) => stop.farewell(association.closed()).await,
            Err(failure) => {
                association.abort(format!("the server gave up: {}", failure.message));
            }
        }
        match done {
            Err(mut failure) if !perf.once && !failure.is_interruption() => failure.tell(),
            done if perf.once || done.is_err() => break done,
            _ => {}
        }
    };
    stop.farewell(endpoint.close()).await;
    done
}

/// Runs one test.
async fn serve(association: &Association, endpoint: &Endpoint, perf: &Perf) -> Result<(), Failure> {
    let remote = association.paths().first().map(|path| path.remote);
    let name = remote.map_or_else(|| "an unknown address".to_owned(), |ip| ip.to_string());
    let ports = [endpoint.port(), association.peer_port()];
    // Both closures, for the start and for the intervals, need the record
    let kept = std::cell::RefCell::new((None, Show::new(perf.form())));
    let begin = |request: &perf::Request| {
        let (record, show) = &mut *kept.borrow_mut();
        if show.is_text() {
            tell(&format!("test from {name}"));
        }
        let begun = TestDocument::new(association, ports, request, &perf.local.cc, false);
        show.start(record.insert(begun), association);
    };
    let watched = |interval: &perf::Interval| {
        if let (Some(record), show) = &mut *kept.borrow_mut() {
            show.interval(record, interval);
        }
    };
    let done = perf::serve(association, &perf.settings(), begin, watched).await;
    let (record, mut show) = kept.into_inner();
    match &done {
        Ok(outcome) => show.outcome(record, outcome),
        Err(failure) => show.failure(record, &failure.to_string()),
    }
    done.map(drop).map_err(Failure::from)
}

/// Runs a test, and refuses others meanwhile, because they would disturb the measurement.
async fn alone(
    endpoint: &Endpoint,
    test: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    tokio::pin!(test);
    loop {
        let association = tokio::select! {
            done = &mut test => return done,
            accepted = endpoint.accept() => accepted?,
        };
        tokio::spawn(timeout(PATIENCE, async move {
            if perf::refuse(&association, "another test is going on").await.is_ok() {
                // Errors of refused clients are ignored
                let _ = association.closed().await;
            }
        }));
    }
}

/// Largest number of clients that wait to be accepted.
const BACKLOG: usize = 16;
/// Time limit for a refused client.
const PATIENCE: Duration = Duration::from_secs(20);
