//! The algorithms, one file each.

mod cmt_rp_v1;
mod cmt_rp_v2;
mod mptcp_like;
mod newreno;

pub use cmt_rp_v1::CmtRpV1;
pub use cmt_rp_v2::CmtRpV2;
pub use mptcp_like::MptcpLike;
pub use newreno::NewReno;
