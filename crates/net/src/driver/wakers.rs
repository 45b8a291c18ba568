//! Tasks that wait for a condition.

use std::task::{Context, Waker};

/// The tasks that wait for a condition. All of them are woken when the condition may hold, and check it again. A
/// cancelled task therefore takes no wake-up from the others.
#[derive(Debug, Default)]
pub(crate) struct Wakers(Vec<Waker>);

impl Wakers {
    /// Registers the task of `cx`.
    pub(crate) fn register(&mut self, cx: &Context<'_>) {
        if !self.0.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.0.push(cx.waker().clone());
        }
    }

    /// Wakes all tasks.
    pub(crate) fn wake(&mut self) {
        self.0.drain(..).for_each(Waker::wake);
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

    #[test]
    fn a_task_that_waits_twice_is_woken_once() {
        let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
        let mut wakers = Wakers::default();
        for count in [&counts[0], &counts[0], &counts[1]] {
            wakers.register(&Context::from_waker(&Waker::from(Arc::clone(count))));
        }
        wakers.wake();
        wakers.wake();
        assert_eq!(counts.map(|count| count.0.load(Ordering::Relaxed)), [1, 1]);
    }
}
