//! `manypath-net listen`: receives messages of any peer, on many associations at once.

mod conversation;
mod report;
mod sink;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use manypath_net::{Association, Endpoint, Peer};
use manypath_program::whole;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use conversation::{Conversation, converse};
use report::Report;
use sink::Target;

use crate::addresses::{builder, tell_waiting};
use crate::failure::Failure;
use crate::local::{Local, port_or_any};
use crate::stop::Stop;
use crate::watch::Watch;

#[derive(Clone, Debug, Args)]
pub(crate) struct Listen {
    /// Return each message on its stream.
    #[arg(long)]
    echo: bool,
    /// Write the payload of received messages into a folder, with a file per association, or to standard output (`-`).
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// End after one association.
    #[arg(long)]
    once: bool,
    /// Maximum number of associations at once; further ones wait.
    #[arg(long, value_name = "COUNT", default_value_t = 1024, allow_hyphen_values = true,
        value_parser = |text: &str| whole::<u32>(text, 1..=65_536))]
    limit: u32,
    /// Send small messages immediately, without waiting for acknowledgements of earlier ones (disables Nagle's algorithm).
    #[arg(long)]
    nodelay: bool,
    /// Print JSON documents, one per line.
    #[arg(long)]
    json: bool,
    /// Local UDP port; 0 selects a free one.
    #[arg(long, value_name = "PORT", default_value_t = Peer::ENCAPSULATION_PORT, allow_hyphen_values = true,
        value_parser = port_or_any)]
    udp: u16,
    #[command(flatten)]
    pub(crate) local: Local,
}

/// Serves associations until the program is stopped, or only one.
pub(crate) async fn run(listen: Listen, mut stop: Stop, watch: &Watch) -> Result<(), Failure> {
    let target = Target::new(listen.output.clone())?;
    let builder = builder(&listen.local, listen.udp).nodelay(listen.nodelay).listen(BACKLOG);
    let endpoint = watch.bind(builder, listen.local.port).await?;
    tell_waiting(&endpoint);
    let report = Report::new(listen.json, target.takes_stdout());
    let places = Arc::new(Semaphore::new(listen.limit as usize));
    let mut tasks = JoinSet::new();
    let mut number = 0;
    let done = loop {
        let accepting = stop.or(accept(&endpoint, Arc::clone(&places)));
        let (association, place) = match accepting.await {
            Ok(accepted) => accepted,
            // Ctrl-C is the normal end of a server
            Err(failure) if failure.is_interruption() => break Ok(()),
            Err(failure) => break Err(failure),
        };
        number += 1;
        let conversation =
            Conversation::new(association, number, report, target.clone(), listen.echo);
        let conversing = converse(conversation, stop.clone());
        if listen.once {
            break conversing.await;
        }
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            // The end was reported already
            let _ = conversing.await;
            drop(place);
        });
    };
    tasks.join_all().await;
    stop.farewell(endpoint.close()).await;
    done
}

/// The next association, once fewer than the limit are served.
async fn accept(
    endpoint: &Endpoint,
    places: Arc<Semaphore>,
) -> Result<(Association, tokio::sync::OwnedSemaphorePermit), Failure> {
    let place = places.acquire_owned().await;
    let place = place.map_err(|error| Failure::broken(error.to_string()))?;
    Ok((endpoint.accept().await?, place))
}

/// Largest number of associations that wait to be served.
const BACKLOG: usize = 128;
