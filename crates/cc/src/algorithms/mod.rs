//! The algorithms, one file each.

mod balia;
mod bmc;
mod cmt_rp_v1;
mod cmt_rp_v2;
mod coupled;
mod cubic;
mod ewtcp;
mod lia;
mod lia_eunice;
mod mptcp_like;
mod newreno;
mod olia;
mod weighted_aimd;
mod wvegas;

pub use balia::Balia;
pub use bmc::{Bmc, proportion};
pub use cmt_rp_v1::CmtRpV1;
pub use cmt_rp_v2::CmtRpV2;
pub use coupled::Coupled;
pub use cubic::Cubic;
pub use ewtcp::Ewtcp;
pub use lia::Lia;
pub use lia_eunice::LiaEunice;
pub use mptcp_like::MptcpLike;
pub use newreno::NewReno;
pub use olia::Olia;
pub use weighted_aimd::WeightedAimd;
pub use wvegas::Wvegas;
