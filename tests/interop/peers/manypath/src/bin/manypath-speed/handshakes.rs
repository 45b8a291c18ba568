//! Associations that are opened, and aborted as soon as they stand.

use std::sync::Arc;
use std::time::Instant;

use manypath_net::{Endpoint, Error};
use peer_contract::{Options, report};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Accepts until it is killed, or opens one association after another from each endpoint.
pub(crate) async fn run(options: &Options) -> Result<(), Error> {
    let endpoints = crate::endpoints(options).await?;
    if options.listen {
        report("listening", Value::Null);
        loop {
            let association = endpoints[0].accept().await?;
            // Its handle must live: else it would be shut down before the peer aborts it
            tokio::spawn(async move { association.closed().await });
        }
    }
    let options = Arc::new(options.clone());
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for endpoint in endpoints {
        tasks.spawn(repeat(endpoint, Arc::clone(&options), start));
    }
    let mut count = 0;
    for opened in tasks.join_all().await {
        count += opened?;
    }
    let seconds = start.elapsed().as_secs_f64();
    report("opened", json!({ "associations": count, "seconds": seconds }));
    Ok(())
}

async fn repeat(endpoint: Endpoint, options: Arc<Options>, start: Instant) -> Result<u64, Error> {
    let mut count = 0;
    while start.elapsed() < options.seconds {
        let association = crate::connect(&endpoint, &options, 0).await?;
        count += 1;
        association.abort("");
        // The peer's address is free again once the end has been told
        drop(association.closed().await);
    }
    Ok(count)
}
