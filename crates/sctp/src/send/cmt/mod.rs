//! What lets one association use several paths at once without mistaking reordering for loss.

pub(crate) mod buffer_split;
mod pseudo_cumack;
mod split_fast_retransmit;

pub(crate) use pseudo_cumack::PseudoCumAck;
pub(crate) use split_fast_retransmit::Strike;
