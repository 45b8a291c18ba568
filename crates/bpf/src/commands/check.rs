//! `check`: what this kernel has and lacks.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::{Error, machine};

/// Says what this machine has and lacks; exit code 1 if it lacks something
#[derive(Debug, Args)]
pub(crate) struct Check {}

impl Check {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let needs = machine::needs();
        for need in &needs {
            println!(
                "{:<5} {}: {}",
                if need.remedy.is_none() { "ok" } else { "LACKS" },
                need.name,
                need.found
            );
            if let Some(remedy) = &need.remedy {
                println!("      {remedy}");
            }
        }
        let is_able = needs.iter().all(|need| need.remedy.is_none());
        Ok(if is_able { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
