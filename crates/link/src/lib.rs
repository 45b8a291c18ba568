//! A link and its queue, without a clock.
