//! `check`: whether this machine meets the requirements.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::{Error, machine};

use super::say;

/// Says what this machine has and lacks; exit code 1 if it lacks something
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
        let is_able = needs.iter().all(|need| need.remedy.is_none());
        Ok(if is_able { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
