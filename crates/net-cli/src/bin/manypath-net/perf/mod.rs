//! `manypath-net perf`: measures the throughput between two machines.

mod arguments;
mod client;
mod server;
mod settings;
mod show;

pub(crate) use arguments::Perf;

use manypath_net_cli::perf;

use crate::failure::Failure;
use crate::stop::Stop;
use crate::watch::Watch;

/// Serves tests, or runs one.
pub(crate) async fn run(perf: Perf, mut stop: Stop, watch: &Watch) -> Result<(), Failure> {
    if !perf.listen && perf.to.is_empty() {
        let expected =
            "expected `--to` with the addresses of a server, or `--listen` to serve tests";
        return Err(Failure::input(format!("`--to` and `--listen` are missing, {expected}")));
    }
    // Opening a pipe may block until there is a writer
    let perf = stop.or_block(|| perf.with_settings()).await?;
    if perf.listen {
        server::run(perf, stop, watch).await
    } else {
        client::run(perf, stop, watch).await
    }
}

impl From<perf::Failure> for Failure {
    fn from(failure: perf::Failure) -> Self {
        let message = failure.to_string();
        if failure.is_input() { Self::input(message) } else { Self::broken(message) }
    }
}
