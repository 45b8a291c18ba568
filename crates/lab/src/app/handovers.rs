//! The times at which messages were handed over. Besides the network, this is the only state that both ends of a flow
//! share.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use manypath_core::Time;

/// Hand-over times of the messages that have not arrived yet, by number. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handovers(Rc<RefCell<Ring>>);

#[derive(Debug, Default)]
struct Ring {
    /// Number of the first message in `times`.
    first: u64,
    times: VecDeque<Time>,
}

impl Handovers {
    /// Records the time for the next message: when it was handed over, or when it was due.
    #[inline]
    pub(crate) fn push(&self, time: Time) {
        self.0.borrow_mut().times.push_back(time);
    }

    /// When message `number` was handed over. Messages before `first_open` will not be requested again.
    #[inline]
    pub(crate) fn take(&self, number: u64, first_open: u64) -> Option<Time> {
        let mut ring = self.0.borrow_mut();
        // Most messages arrive in order
        if number == ring.first && first_open == number + 1 {
            let time = ring.times.pop_front()?;
            ring.first = first_open;
            return Some(time);
        }
        let index = usize::try_from(number.checked_sub(ring.first)?).ok()?;
        let time = ring.times.get(index).copied();
        while ring.first < first_open && ring.times.pop_front().is_some() {
            ring.first += 1;
        }
        time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_found_by_its_number_until_all_before_it_have_arrived() {
        let source = Handovers::default();
        let sink = source.clone();
        for nanoseconds in 0..5 {
            source.push(Time::from_nanos(nanoseconds));
        }
        assert_eq!(sink.take(2, 0), Some(Time::from_nanos(2)));
        assert_eq!(sink.take(0, 1), Some(Time::from_nanos(0)));
        assert_eq!(sink.take(0, 1), None);
        assert_eq!(sink.take(1, 3), Some(Time::from_nanos(1)));
        assert_eq!(sink.take(4, 3), Some(Time::from_nanos(4)));
        assert_eq!(sink.take(5, 3), None);
    }
}
