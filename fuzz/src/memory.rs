//! Memory measurement of the code under test: an allocator with counters per thread.
#![expect(unsafe_code, reason = "an allocator is unsafe by its contract; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The memory that some work has left allocated, and its peak.
#[derive(Clone, Copy, Debug, Default)]
pub struct Use {
    /// Bytes more than before; negative if the work freed some.
    pub left: i64,
    /// Bytes more than before at the highest point.
    pub peak: i64,
}

/// Runs some work and measures its memory.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Use) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, Use { left: LIVE.get() - before, peak: PEAK.get() - before })
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// A thread that is ending has no counters any more, but still allocates.
fn count(bytes: i64) {
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `GlobalAlloc`
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`
        unsafe { System.realloc(place, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_and_what_was_held_are_counted() {
        let (kept, used) = measure(|| {
            drop(std::hint::black_box(vec![0_u8; 10_000]));
            std::hint::black_box(vec![0_u8; 3_000])
        });
        assert_eq!((used.left, used.peak), (3_000, 10_000));
        let ((), used) = measure(|| drop(kept));
        assert_eq!((used.left, used.peak), (-3_000, 0));
    }
}
