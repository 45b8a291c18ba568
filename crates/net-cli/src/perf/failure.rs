//! Reasons for failed measurements.

use thiserror::Error;

/// Why a measurement failed.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// An error of the association or of a setting of the request.
    #[error(transparent)]
    Net(#[from] manypath_net::Error),
    /// The server refused the test; its reason.
    #[error("the server refused the test: {0}")]
    Refused(String),
    /// The peer shut the association down before the end of the test.
    #[error("the peer ended the association before the test was over")]
    Ended,
    /// The peer violated this protocol.
    #[error("the peer is no `manypath-net perf` of this version")]
    Protocol,
    /// The client sent no request.
    #[error("the client sent no request within {0} seconds")]
    Silent(u64),
    /// The server did not answer the request.
    #[error("the server did not answer within {0} seconds")]
    NoAnswer(u64),
    /// The peer's SCTP answers, but the test does not continue.
    #[error("nothing came from the peer for {0} seconds")]
    Stalled(u64),
}

impl Failure {
    /// Whether the input of the caller is the cause.
    #[must_use]
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Net(error) if error.is_input())
    }
}
