//! Failure and recovery of a path, and the confirmation that the peer owns its address. RFC 9260 §5.4, §8.2

use manypath_core::Time;

use super::Path;
use crate::config::Config;

/// The state of a path. RFC 9260 §8.2, RFC 7829 §3.2
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum PathState {
    /// It works.
    #[default]
    Active,
    /// Several packets had no answer, so that other paths are preferred.
    PotentiallyFailed,
    /// It has failed.
    Inactive,
}

/// The state of the local address of a path.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Local {
    /// It was not lost since the last answer on the path.
    #[default]
    Kept,
    /// It is lost.
    Lost,
    /// It has returned, and there was no answer on the path since then.
    Returned,
}

/// The last HEARTBEAT of a path, by its nonce. RFC 9260 §8.3
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum HeartbeatProbe {
    /// Answered, or never sent.
    #[default]
    None,
    /// Sent less than one RTO ago.
    Waiting(u64),
    /// Not answered within one RTO; a late answer still proves that the path works.
    Late(u64),
}

impl HeartbeatProbe {
    /// Whether an answer with this nonce answers the probe.
    pub(crate) fn expects(self, nonce: u64) -> bool {
        matches!(self, Self::Waiting(sent) | Self::Late(sent) if sent == nonce)
    }
}

impl Path {
    /// Records a missing answer on the path; returns whether the state of the path changed. RFC 9260 §8.2,
    /// RFC 7829 §3.2
    pub(crate) fn note_error(&mut self, now: Time, config: &Config) -> bool {
        if self.state == PathState::Active {
            self.last_active = now;
        }
        self.errors = (self.errors + 1).min(config.most_path_errors());
        self.enter(self.state_after_errors(config))
    }

    /// Marks the path as failed because its local address was lost; returns whether it had not failed before. An answer
    /// to an earlier probe does not count: it does not show that the path works without the address.
    ///
    /// Its errors stay as they are: they count missing answers of the peer, which ends the association after
    /// Association.Max.Retrans of them.
    pub(crate) fn lose_local(&mut self, now: Time) -> bool {
        if self.state == PathState::Active {
            self.last_active = now;
        }
        (self.local, self.probe) = (Local::Lost, HeartbeatProbe::None);
        self.enter(PathState::Inactive)
    }

    fn state_after_errors(&self, config: &Config) -> PathState {
        let doubted = config.potentially_failed_after.is_some_and(|limit| self.errors > limit);
        let waits_for_local = self.local != Local::Kept && self.state == PathState::Inactive;
        if waits_for_local || self.errors > config.path_max_retransmissions {
            PathState::Inactive
        } else if doubted && self.confirmed {
            PathState::PotentiallyFailed
        } else {
            PathState::Active
        }
    }

    /// Records an answer on the path; returns whether the path has become active again. RFC 9260 §8.2, RFC 7829 §3.2
    ///
    /// While the local address is lost, the path stays inactive: such an answer was sent before the loss.
    pub(crate) fn note_answer(&mut self) -> bool {
        (self.errors, self.has_no_sctp) = (0, false);
        if self.local == Local::Lost {
            return false;
        }
        self.local = Local::Kept;
        self.enter(PathState::Active)
    }

    fn enter(&mut self, state: PathState) -> bool {
        let changed = self.state != state;
        if changed {
            note!(Transition(self.state.name(), state.name()));
            self.state = state;
        }
        changed
    }
}

impl PathState {
    #[cfg(feature = "soak")]
    fn name(self) -> &'static str {
        match self {
            Self::Active => "path ACTIVE",
            Self::PotentiallyFailed => "path POTENTIALLY-FAILED",
            Self::Inactive => "path INACTIVE",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manypath_core::Via;

    fn path(config: &Config) -> Path {
        Path::new(Via::default(), config, true)
    }

    #[test]
    fn a_path_fails_with_one_error_more_than_the_limit_and_one_answer_brings_it_back() {
        let config = Config { path_max_retransmissions: 5, ..Config::default() };
        let mut path = path(&config);
        let changes: Vec<bool> = (0..7).map(|_| path.note_error(Time::ZERO, &config)).collect();
        assert_eq!(changes, [false, false, false, false, false, true, false]);
        assert_eq!((path.state, path.errors), (PathState::Inactive, 6));

        assert!(path.note_answer());
        assert!(path.works());
        assert!(!path.note_answer());
        assert_eq!(path.errors, 0);
    }

    #[test]
    fn only_consecutive_errors_count() {
        let config = Config { path_max_retransmissions: 1, ..Config::default() };
        let mut path = path(&config);
        for _ in 0..20 {
            assert!(!path.note_error(Time::ZERO, &config));
            path.note_answer();
        }
    }

    /// RFC 7829 §3.2 items 1, 2, 8.
    #[test]
    fn a_path_is_potentially_failed_between_the_two_limits_if_there_is_room_between_them() {
        use PathState::{Active, Inactive, PotentiallyFailed};
        let states = |pfmr, pmr| {
            let config = Config {
                potentially_failed_after: pfmr,
                path_max_retransmissions: pmr,
                ..Config::default()
            };
            let mut path = path(&config);
            let after_error = |_| {
                path.note_error(Time::ZERO, &config);
                path.state
            };
            (0..4).map(after_error).collect::<Vec<_>>()
        };
        assert_eq!(states(None, 2), [Active, Active, Inactive, Inactive]);
        assert_eq!(states(Some(0), 2), [PotentiallyFailed, PotentiallyFailed, Inactive, Inactive]);
        assert_eq!(states(Some(1), 2), [Active, PotentiallyFailed, Inactive, Inactive]);
        assert_eq!(states(Some(2), 2), [Active, Active, Inactive, Inactive]);
        assert_eq!(states(Some(9), 2), [Active, Active, Inactive, Inactive]);
    }

    /// RFC 9260 §5.4: an unconfirmed path carries no data, so it need not be avoided.
    #[test]
    fn a_path_that_is_not_confirmed_is_never_potentially_failed() {
        let config = Config { potentially_failed_after: Some(0), ..Config::default() };
        let mut path = Path::new(Via::default(), &config, false);
        path.note_error(Time::ZERO, &config);
        assert_eq!((path.state, path.errors), (PathState::Active, 1));
    }

    /// RFC 7829 §4.1: otherwise the failed path with the fewest errors could not be determined.
    #[test]
    fn with_quick_failover_the_errors_of_a_failed_path_count_on_up_to_ten_times_its_limit() {
        for (pfmr, most) in [(None, 3), (Some(0), 30)] {
            let config = Config {
                potentially_failed_after: pfmr,
                path_max_retransmissions: 2,
                ..Config::default()
            };
            let mut path = path(&config);
            (0..100).for_each(|_| {
                path.note_error(Time::ZERO, &config);
            });
            assert_eq!(path.errors, most);
        }
    }
}
