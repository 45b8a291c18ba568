//! Sends the data of a test.

use std::time::{Duration, Instant};

use bytes::Bytes;
use manypath_core::Streams;
use manypath_net::{Association, Message};
use tokio::time::sleep_until;

use super::counts::Counts;
use super::word::Word;
use super::{Failure, Request};

/// Sends data from `start` on until the requested time or number of bytes is reached; returns how long that took.
pub(super) async fn pump(
    association: &Association,
    request: &Request,
    counts: &Counts,
    start: Instant,
) -> Result<Duration, Failure> {
    let payload: Bytes = (0..request.size).map(|place| ((place * 31) >> 3) as u8).collect();
    let mut left = request.bytes.unwrap_or(u64::MAX);
    let duration = request.duration.map_or(FOREVER, Duration::from_secs_f64);
    let deadline = sleep_until((start + duration).into());
    tokio::pin!(deadline);
    let mut stream = 0;
    let least = request.size_min.unwrap_or(payload.len());
    let mut sizes = Streams::new(0, 0).stream("sizes");
    while left > 0 {
        stream = stream % request.streams + 1;
        let size = least + sizes.below((payload.len() - least + 1) as u64) as usize;
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(size);
        let mut message = Message::new(payload.slice(..length)).stream(stream);
        message.unordered = request.unordered;
        tokio::select! {
            biased;
            () = &mut deadline => break,
            sent = association.send(message) => sent?,
        }
        counts.add(stream, length, true);
        left -= length as u64;
    }
    let elapsed = start.elapsed();
    Word::End { bytes: counts.bytes() }.say(association).await?;
    Ok(elapsed)
}

/// Longer than any test.
const FOREVER: Duration = Duration::from_secs(365 * 86_400);
