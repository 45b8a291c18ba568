//! When a path has failed, when it works again, and what proves that the peer owns its address. RFC 9260 §5.4, §8.2

use super::Path;

/// The HEARTBEAT that was last sent on a path, by its nonce. RFC 9260 §8.3
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Probe {
    /// Answered, or never sent.
    #[default]
    None,
    /// Sent less than one RTO ago.
    Waiting(u64),
    /// Its RTO is over; an answer still proves that the path works.
    Late(u64),
}

impl Probe {
    /// Whether an answer with this nonce answers the probe.
    pub(crate) fn expects(self, nonce: u64) -> bool {
        matches!(self, Self::Waiting(sent) | Self::Late(sent) if sent == nonce)
    }
}

impl Path {
    /// Something sent here had no answer; whether the path counts as failed from now on. RFC 9260 §8.2
    pub(crate) fn note_error(&mut self, limit: u32) -> bool {
        if !self.active {
            return false;
        }
        self.errors += 1;
        self.active = self.errors <= limit;
        !self.active
    }

    /// Something sent here was answered; whether the path works again. RFC 9260 §8.2
    pub(crate) fn note_answer(&mut self) -> bool {
        self.errors = 0;
        !std::mem::replace(&mut self.active, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use manypath_core::Via;

    #[test]
    fn a_path_fails_with_one_error_more_than_the_limit_and_one_answer_brings_it_back() {
        let mut path = Path::new(Via::default(), &Config::default(), true);
        let failures: Vec<bool> = (0..7).map(|_| path.note_error(5)).collect();
        assert_eq!(failures, [false, false, false, false, false, true, false]);
        assert_eq!((path.usable(), path.errors), (false, 6));

        assert!(path.note_answer());
        assert!(path.usable());
        assert!(!path.note_answer());
        assert_eq!(path.errors, 0);
    }

    #[test]
    fn errors_count_in_a_row_only() {
        let mut path = Path::new(Via::default(), &Config::default(), true);
        for _ in 0..20 {
            assert!(!path.note_error(1));
            path.note_answer();
        }
    }
}
