//! Concurrent multipath transfer: the mechanisms that let one association use several paths without mistaking
//! reordering for loss.

pub(crate) mod buffer_split;
mod pseudo_cumack;
mod rescheduling;
mod split_fast_retransmit;

pub(crate) use pseudo_cumack::PseudoCumAck;
pub(crate) use rescheduling::Blocking;
pub(crate) use split_fast_retransmit::Strike;
