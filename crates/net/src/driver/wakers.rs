//! Tasks that wait for a condition.

use std::task::{Context, Poll, Waker};

/// The tasks that wait for a condition. All of them are woken when the condition may hold, and check it again. A
/// cancelled task therefore takes no wake-up from the others.
#[derive(Debug, Default)]
pub(crate) struct Wakers {
    /// In the order of their numbers, which only increase.
    waiting: Vec<(u64, Waker)>,
    next: u64,
}

/// The place of one wait among the [`Wakers`] of its condition, while it has one.
#[derive(Debug, Default)]
pub(crate) struct Ticket(Option<u64>);

impl Ticket {
    /// Whether the wait has a place.
    pub(crate) fn is_registered(&self) -> bool {
        self.0.is_some()
    }
}

impl Wakers {
    /// Registers the task of `cx`. A wait that is registered already is only updated.
    fn register(&mut self, ticket: &mut Ticket, cx: &Context<'_>) {
        if let Some(place) = self.place(ticket) {
            self.waiting[place].1.clone_from(cx.waker());
            return;
        }
        self.waiting.push((self.next, cx.waker().clone()));
        ticket.0 = Some(self.next);
        self.next += 1;
    }

    /// Removes a wait. The caller drops the waker after it has unlocked the state, because that may drop a task with
    /// handles of an association.
    #[must_use]
    pub(crate) fn remove(&mut self, ticket: &mut Ticket) -> Option<Waker> {
        let place = self.place(ticket);
        ticket.0 = None;
        place.map(|place| self.waiting.remove(place).1)
    }

    /// Registers a wait while it is pending, and removes it once it is ready.
    pub(crate) fn settle<T>(
        &mut self,
        ticket: &mut Ticket,
        cx: &Context<'_>,
        result: Poll<T>,
    ) -> Poll<T> {
        match result {
            Poll::Pending => self.register(ticket, cx),
            // The task of this waker is being polled, so that dropping the waker drops no task
            Poll::Ready(_) => drop(self.remove(ticket)),
        }
        result
    }

    fn place(&self, ticket: &Ticket) -> Option<usize> {
        let number = ticket.0?;
        self.waiting.binary_search_by_key(&number, |(number, _)| *number).ok()
    }

    /// Wakes all tasks.
    pub(crate) fn wake(&mut self) {
        self.waiting.drain(..).for_each(|(_, waker)| waker.wake());
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn register(wakers: &mut Wakers, ticket: &mut Ticket, count: &Arc<Count>) {
        wakers.register(ticket, &Context::from_waker(&Waker::from(Arc::clone(count))));
    }

    #[test]
    fn a_wait_wakes_the_task_that_polled_it_last_once() {
        let counts: [Arc<Count>; 3] = Default::default();
        let mut wakers = Wakers::default();
        let mut tickets = [Ticket::default(), Ticket::default()];
        for (ticket, count) in [(0, 0), (1, 2), (0, 1)] {
            register(&mut wakers, &mut tickets[ticket], &counts[count]);
        }
        wakers.wake();
        wakers.wake();
        assert_eq!(counts.map(|count| count.0.load(Ordering::Relaxed)), [0, 1, 1]);
    }

    #[test]
    fn a_removed_wait_is_not_woken_and_removes_no_other() {
        let counts: [Arc<Count>; 3] = Default::default();
        let mut wakers = Wakers::default();
        let mut tickets: [Ticket; 3] = Default::default();
        for (ticket, count) in tickets.iter_mut().zip(&counts) {
            register(&mut wakers, ticket, count);
        }
        assert!(wakers.remove(&mut tickets[1]).is_some());
        assert!(wakers.remove(&mut tickets[1]).is_none());
        wakers.wake();
        register(&mut wakers, &mut tickets[0], &counts[0]);
        // It was woken already
        assert!(wakers.remove(&mut tickets[2]).is_none());
        assert_eq!(wakers.len(), 1);
        assert_eq!(counts.map(|count| count.0.load(Ordering::Relaxed)), [1, 0, 1]);
    }
}
