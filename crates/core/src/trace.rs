//! Typed events that are built only when someone listens.

use std::collections::VecDeque;
use std::fmt;

/// Where the events of type `E` go.
#[derive(Default)]
pub enum Trace<E> {
    /// Nowhere: emitting costs one predictable branch.
    #[default]
    Off,
    /// Into memory, the latest ones only: see [`Trace::ring`].
    Ring {
        /// The events, oldest first.
        events: VecDeque<E>,
        /// How many are kept.
        capacity: usize,
    },
    /// To a listener, one by one.
    Sink(Box<dyn FnMut(E) + Send>),
}

impl<E> Trace<E> {
    /// A trace that keeps the latest `capacity` events.
    #[must_use]
    pub fn ring(capacity: usize) -> Self {
        Self::Ring { events: VecDeque::with_capacity(capacity), capacity }
    }

    /// A trace that hands each event to `listener`.
    pub fn sink(listener: impl FnMut(E) + Send + 'static) -> Self {
        Self::Sink(Box::new(listener))
    }

    /// Records the event that `build` makes; `build` is not called when the trace is off.
    #[inline]
    pub fn emit(&mut self, build: impl FnOnce() -> E) {
        match self {
            Self::Off => {}
            listening => listening.record(build()),
        }
    }

    /// The kept events of a ring, oldest first; none of any other trace.
    pub fn events(&self) -> impl Iterator<Item = &E> {
        let kept = match self {
            Self::Ring { events, .. } => Some(events),
            _ => None,
        };
        kept.into_iter().flatten()
    }

    #[cold]
    fn record(&mut self, event: E) {
        match self {
            Self::Off => {}
            Self::Ring { events, capacity } => {
                if events.len() == *capacity {
                    events.pop_front();
                }
                if *capacity > 0 {
                    events.push_back(event);
                }
            }
            Self::Sink(listener) => listener(event),
        }
    }
}

impl<E> fmt::Debug for Trace<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("Off"),
            Self::Ring { events, capacity } => write!(f, "Ring({} of {capacity})", events.len()),
            Self::Sink(_) => f.write_str("Sink"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn nothing_is_built_while_nobody_listens() {
        let mut trace = Trace::Off;
        trace.emit(|| -> u32 { unreachable!("the trace is off") });
        assert_eq!(trace.events().count(), 0);
    }

    #[test]
    fn a_ring_keeps_the_latest() {
        let mut trace = Trace::ring(3);
        for number in 1..=5 {
            trace.emit(|| number);
        }
        assert_eq!(trace.events().copied().collect::<Vec<_>>(), [3, 4, 5]);
    }

    #[test]
    fn a_ring_without_room_keeps_nothing() {
        let mut trace = Trace::ring(0);
        trace.emit(|| 1);
        assert_eq!(trace.events().count(), 0);
    }

    #[test]
    fn a_sink_hears_everything() {
        let (sender, receiver) = mpsc::channel();
        let mut trace = Trace::sink(move |event| sender.send(event).unwrap());
        trace.emit(|| "sent");
        trace.emit(|| "lost");
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ["sent", "lost"]);
    }
}
