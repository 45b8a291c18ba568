//! Messages of one size for some time.

use std::time::{Duration, Instant};

use bytes::Bytes;
use manypath_net::{Association, Endpoint, Error, Message};
use peer_contract::{Options, report};
use serde_json::{Value, json};

/// Listens and counts, or connects and sends.
pub(crate) async fn run(options: &Options) -> Result<(), Error> {
    let endpoints = crate::endpoints(options).await?;
    if options.listen {
        report("listening", Value::Null);
        let association = endpoints[0].accept().await?;
        count(&association).await?;
        tell(&endpoints[0], &association);
    } else {
        let association = crate::connect(&endpoints[0], options, 0).await?;
        report("connected", Value::Null);
        send(&association, options).await?;
        tell(&endpoints[0], &association);
    }
    endpoints[0].close().await;
    Ok(())
}

/// Takes messages until the peer shuts down; between the first and the last one lies the time that counts.
async fn count(association: &Association) -> Result<(), Error> {
    let (mut bytes, mut messages) = (0, 0);
    let mut start = None;
    let mut last = Duration::ZERO;
    let mut told = Duration::ZERO;
    while let Some(message) = association.receive().await? {
        last = start.get_or_insert_with(Instant::now).elapsed();
        bytes += message.payload.len();
        messages += 1;
        if last - told > INTERVAL {
            told = last;
            report("progress", json!({ "bytes": bytes, "seconds": last.as_secs_f64() }));
        }
    }
    let seconds = last.as_secs_f64();
    report("received", json!({ "bytes": bytes, "messages": messages, "seconds": seconds }));
    association.closed().await
}

async fn send(association: &Association, options: &Options) -> Result<(), Error> {
    let size = usize::try_from(options.size).unwrap_or(usize::MAX);
    let payload = Bytes::from(vec![0x5a; size]);
    let start = Instant::now();
    let mut stream = 0;
    while start.elapsed() < options.seconds {
        association.send(Message::new(payload.clone()).stream(stream)).await?;
        stream = (stream + 1) % options.streams;
    }
    association.shutdown().await
}

/// What explains a speed.
fn tell(endpoint: &Endpoint, association: &Association) {
    let (stats, counters) = (association.stats(), endpoint.counters());
    report(
        "statistics",
        json!({
            "packets_sent": counters.packets_sent,
            "packets_refused": counters.dropped_packets,
            "packets_received": counters.packets_received,
            "sent_again": stats.retransmitted_chunks,
            "timeouts": stats.timeouts,
            "dropped_for_window": stats.refused_chunks,
        }),
    );
}

/// Time between two reports of progress.
const INTERVAL: Duration = Duration::from_millis(100);
