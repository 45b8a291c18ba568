//! The names that a document uses for the switches of `manypath_sctp::Config`.

use manypath_sctp::{BufferSplit, Burst, CumAck, SackPath, SendOrder, T3Path, T3Reset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "BufferSplit", rename_all = "kebab-case")]
#[schemars(rename = "BufferSplit")]
pub(super) enum BufferSplitName {
    None,
    Sender,
    Receiver,
    Both,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "CumAck")]
#[schemars(rename = "CumAck")]
pub(super) enum CumAckName {
    #[serde(rename = "none")]
    Association,
    #[serde(rename = "v1")]
    PathV1,
    #[serde(rename = "v2")]
    PathV2,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "SackPath", rename_all = "kebab-case")]
#[schemars(rename = "SackPath")]
pub(super) enum SackPathName {
    FirstData,
    LastData,
    Primary,
    RoundRobin,
    SmallestSrtt,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Burst", rename_all = "kebab-case")]
#[schemars(rename = "Burst")]
pub(super) enum BurstName {
    None,
    MaxBurst,
    UseItOrLoseIt,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "SendOrder", rename_all = "kebab-case")]
#[schemars(rename = "SendOrder")]
pub(super) enum SendOrderName {
    Address,
    RoundRobin,
    SmallestLastTransmission,
    LargestSpace,
    LargestSsthresh,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "T3Reset", rename_all = "kebab-case")]
#[schemars(rename = "T3Reset")]
pub(super) enum T3ResetName {
    Rfc9260,
    Smart,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "T3Path", rename_all = "kebab-case")]
#[schemars(rename = "T3Path")]
pub(super) enum T3PathName {
    Same,
    Next,
    LargestWindow,
    LargestSsthresh,
}
