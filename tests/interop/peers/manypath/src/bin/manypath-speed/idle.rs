//! Associations that stay open and carry nothing.

use std::sync::Arc;

use manypath_net::{Association, Endpoint, Error};
use peer_contract::{Options, report};
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::task::JoinSet;

/// Accepts, or opens one association from each endpoint to each endpoint of the other side. Says when all stand, and
/// waits until it is killed.
pub(crate) async fn run(options: &Options) -> Result<(), Error> {
    let endpoints = crate::endpoints(options).await?;
    // Without a limit: tokio polls this future less often than tasks, and what is not accepted in time is refused
    let (sender, mut opened) = mpsc::unbounded_channel();
    if options.listen {
        report("listening", Value::Null);
        for endpoint in endpoints.iter().cloned() {
            tokio::spawn(accept_all(endpoint, sender.clone()));
        }
    } else {
        report("ready", Value::Null);
        wait_for_a_line();
        tokio::spawn(connect_all(endpoints.clone(), Arc::new(options.clone()), sender));
    }
    let total = usize::from(options.endpoints) * usize::from(options.peers);
    let mut held = Vec::with_capacity(total);
    while held.len() < total
        && let Some(association) = opened.recv().await
    {
        held.push(association?);
    }
    report("open", json!({ "associations": held.len() }));
    std::future::pending::<()>().await;
    drop((held, endpoints));
    Ok(())
}

type Opened = Result<Association, Error>;

async fn accept_all(endpoint: Endpoint, opened: UnboundedSender<Opened>) {
    while opened.send(endpoint.accept().await).is_ok() {}
}

async fn connect_all(
    endpoints: Vec<Endpoint>,
    options: Arc<Options>,
    opened: UnboundedSender<Opened>,
) {
    let mut tasks = JoinSet::new();
    for peer in 0..options.peers {
        for endpoint in &endpoints {
            if tasks.len() == MOST_AT_ONCE {
                tasks.join_next().await;
            }
            let (endpoint, options) = (endpoint.clone(), Arc::clone(&options));
            let opened = opened.clone();
            tasks.spawn(async move {
                let association = crate::connect(&endpoint, &options, peer).await;
                // Fails only if an earlier one has failed
                let _ = opened.send(association);
            });
        }
    }
    tasks.join_all().await;
}

/// Waits until the memory before was looked at.
fn wait_for_a_line() {
    let mut line = String::new();
    let _ = std::io::stdin().read_line(&mut line);
}

/// Associations that are being opened at once.
const MOST_AT_ONCE: usize = 64;
