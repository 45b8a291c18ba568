//! The request of a client.

use manypath_net::Error;
use serde::{Deserialize, Serialize};

/// A test that the client requests. Either `duration` or `bytes` is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Seconds during which data is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Payload bytes per direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Number of data streams, which are used in turn.
    pub streams: u16,
    /// Payload bytes of a message; of the largest one if `size_min` is given.
    pub size: usize,
    /// Payload bytes of the smallest message. The sizes of messages are uniformly distributed between both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_min: Option<usize>,
    /// Messages are delivered without regard to their order.
    pub unordered: bool,
    /// The direction of the data.
    pub direction: Direction,
}

/// The direction of the data.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the client to the server.
    Send,
    /// From the server to the client.
    Reverse,
    /// In both directions at once.
    Both,
}

impl Direction {
    /// Whether the client sends.
    #[must_use]
    pub fn client_sends(self) -> bool {
        self != Self::Reverse
    }

    /// Whether the server sends.
    #[must_use]
    pub fn server_sends(self) -> bool {
        self != Self::Send
    }
}

impl Request {
    /// Refuses invalid requests.
    ///
    /// # Errors
    /// If a field is out of range.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |field, value: String, expected: &str| {
            Err(Error::Setting { field, value, expected: expected.to_owned() })
        };
        match (self.duration, self.bytes) {
            (Some(duration), None) if !(duration > 0.0 && duration <= MOST_SECONDS) => {
                wrong("time", duration.to_string(), "seconds, more than 0 and at most 86400")
            }
            (None, Some(0)) => wrong("bytes", "0".to_owned(), "at least 1"),
            (Some(_), Some(bytes)) => wrong("bytes", bytes.to_string(), "no bytes beside a time"),
            (None, None) => wrong("time", "missing".to_owned(), "a time or a number of bytes"),
            _ if !(1..=MOST_STREAMS).contains(&self.streams) => {
                wrong("streams", self.streams.to_string(), "from 1 to 1023")
            }
            _ if !(1..=MOST_SIZE).contains(&self.size) => {
                wrong("size", self.size.to_string(), "from 1 to 1048576 bytes")
            }
            _ if self.size_min.is_some_and(|least| !(1..=self.size).contains(&least)) => {
                let least = self.size_min.unwrap_or_default().to_string();
                wrong("size_min", least, &format!("from 1 to {} bytes", self.size))
            }
            _ => Ok(()),
        }
    }
}

/// Largest number of data streams: the streams that `manypath-net` requests, except stream 0.
pub const MOST_STREAMS: u16 = 1023;
/// Longest test in seconds: a day.
pub const MOST_SECONDS: f64 = 86_400.0;
/// Largest message in bytes, so that several fit into a buffer.
pub const MOST_SIZE: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_out_of_range_is_refused_with_field_value_and_expectation() {
        let good = Request {
            duration: Some(1.0),
            bytes: None,
            streams: 1,
            size: 1400,
            size_min: None,
            unordered: false,
            direction: Direction::Send,
        };
        good.check().expect("a good request");
        let table: [(Request, &str); 10] = [
            (Request { duration: Some(0.0), ..good.clone() }, "`time` is 0, expected seconds"),
            (Request { duration: Some(f64::NAN), ..good.clone() }, "`time` is NaN, expected"),
            (Request { duration: Some(1e9), ..good.clone() }, "`time` is 1000000000, expected"),
            (Request { duration: None, ..good.clone() }, "`time` is missing, expected a time"),
            (Request { bytes: Some(1), ..good.clone() }, "`bytes` is 1, expected no bytes"),
            (Request { streams: 0, ..good.clone() }, "`streams` is 0, expected from 1 to 1023"),
            (Request { streams: 1024, ..good.clone() }, "`streams` is 1024, expected from 1"),
            (Request { size: 0, ..good.clone() }, "`size` is 0, expected from 1 to 1048576"),
            (
                Request { size_min: Some(0), ..good.clone() },
                "`size_min` is 0, expected from 1 to 1400",
            ),
            (
                Request { size_min: Some(1401), ..good.clone() },
                "`size_min` is 1401, expected from 1",
            ),
        ];
        for (request, expected) in table {
            let said = request.check().expect_err(expected).to_string();
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
