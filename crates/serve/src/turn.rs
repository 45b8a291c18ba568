//! The order of the associations that deliver to one socket.

use std::sync::Arc;

use tokio::sync::{Mutex, Notify, OwnedMutexGuard};

/// Lets one association deliver at a time. The parts of a message follow each other: while one association has delivered
/// a part and others follow, all other associations wait, as in Linux without `SCTP_FRAGMENT_INTERLEAVE`.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The association that has begun a message.
    within: Arc<Mutex<Option<i32>>>,
    /// It has ended its message.
    ended: Arc<Notify>,
}

/// The right to deliver.
#[derive(Debug)]
pub(super) struct Permit {
    within: OwnedMutexGuard<Option<i32>>,
    ended: Arc<Notify>,
}

impl Turn {
    /// Waits until an association may deliver. Cancel-safe.
    pub(super) async fn take(&self, number: i32) -> Permit {
        loop {
            let ended = self.ended.notified();
            let permit = self.any().await;
            if permit.within.is_none_or(|other| other == number) {
                return permit;
            }
            drop(permit);
            ended.await;
        }
    }

    /// Waits until no association delivers, while one may have begun a message. Cancel-safe.
    pub(super) async fn any(&self) -> Permit {
        let within = Arc::clone(&self.within).lock_owned().await;
        Permit { within, ended: Arc::clone(&self.ended) }
    }

    /// Records that an association delivers no more records.
    pub(super) async fn leave(&self, number: i32) {
        let mut permit = self.any().await;
        permit.pass(number, None);
    }
}

impl Permit {
    /// Ends the turn of an association that may be within a message. It continues at `elsewhere`, or delivers no more
    /// records.
    pub(super) fn pass(&mut self, number: i32, elsewhere: Option<&mut Self>) {
        if *self.within == Some(number) {
            self.set(None);
            if let Some(elsewhere) = elsewhere {
                elsewhere.set(Some(number));
            }
        }
    }

    /// The association that has delivered the beginning of a message whose end follows.
    pub(super) fn set(&mut self, within: Option<i32>) {
        if std::mem::replace(&mut *self.within, within).is_some() && within.is_none() {
            self.ended.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    /// Whether an association may deliver at once.
    fn may_deliver(turn: &Turn, number: i32) -> bool {
        pin!(turn.take(number)).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[tokio::test]
    async fn an_association_within_a_message_precedes_all_others() {
        let turn = Turn::default();
        turn.take(1).await.set(Some(1));
        assert!(!may_deliver(&turn, 2), "the first one has not ended its message");
        assert!(may_deliver(&turn, 1));
        let (mut order, other) = (Vec::new(), turn.take(2));
        tokio::pin!(other);
        tokio::select! {
            biased;
            _ = &mut other => order.push(2),
            mut permit = turn.take(1) => {
                permit.set(None);
                order.push(1);
            }
        }
        drop(other.await);
        assert_eq!(order, [1]);
    }

    #[tokio::test]
    async fn an_association_that_leaves_within_a_message_frees_the_others() {
        let turn = Turn::default();
        turn.take(1).await.set(Some(1));
        turn.leave(2).await;
        assert!(!may_deliver(&turn, 2));
        turn.leave(1).await;
        assert!(may_deliver(&turn, 2));
    }
}
