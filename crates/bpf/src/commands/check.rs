//! `check`: whether this machine meets the requirements.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::{Error, machine};

use super::say;

/// Lists the requirements that this machine meets and those that are missing; exit code 1 if an algorithm cannot be loaded
#[derive(Debug, Args)]
pub(crate) struct Check {}

impl Check {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let needs = machine::needs();
        for need in &needs {
            let state = if need.remedy.is_none() { "ok" } else { "LACKS" };
            say(format_args!("{state:<5} {}: {}", need.name, need.found))?;
            if let Some(remedy) = &need.remedy {
                say(format_args!("      {remedy}"))?;
            }
        }
        let is_able = needs.iter().all(|need| need.remedy.is_none() || need.is_only_for_run);
        Ok(if is_able { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
