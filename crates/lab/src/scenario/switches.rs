//! The names of the switches of `manypath_sctp::Config` in documents.

use manypath_sctp::{
    BufferSplit, Burst, CumAck, LimitingWindow, PathBlocking, Rescheduling, SackPath, SendOrder,
    SplitBy, T3Path, T3Reset, WindowOverrun, WindowProbe,
};
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
#[serde(remote = "SplitBy", rename_all = "kebab-case")]
#[schemars(rename = "SplitBy")]
pub(super) enum SplitByName {
    Outstanding,
    Buffered,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Rescheduling", rename_all = "kebab-case")]
#[schemars(rename = "Rescheduling")]
pub(super) enum ReschedulingName {
    None,
    Threshold,
    Inet,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "PathBlocking", rename_all = "kebab-case")]
#[schemars(rename = "PathBlocking")]
pub(super) enum PathBlockingName {
    None,
    Rto,
    RtoTimesPaths,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "LimitingWindow", rename_all = "kebab-case")]
#[schemars(rename = "LimitingWindow")]
pub(super) enum LimitingWindowName {
    Congestion,
    Any,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "WindowProbe", rename_all = "kebab-case")]
#[schemars(rename = "WindowProbe")]
pub(super) enum WindowProbeName {
    Association,
    Path,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "WindowOverrun", rename_all = "kebab-case")]
#[schemars(rename = "WindowOverrun")]
pub(super) enum WindowOverrunName {
    Never,
    Packet,
    Wraps,
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
