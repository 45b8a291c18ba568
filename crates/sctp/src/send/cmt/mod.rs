//! What lets one association use several paths at once without mistaking reordering for loss.

pub(crate) mod buffer_split;
mod pseudo_cumack;
mod rescheduling;
mod split_fast_retransmit;

pub(crate) use pseudo_cumack::PseudoCumAck;
pub(crate) use rescheduling::Blocking;
pub(crate) use split_fast_retransmit::Strike;
