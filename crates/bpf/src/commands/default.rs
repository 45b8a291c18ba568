//! `default`: the congestion control of new sockets that choose none.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::{Error, defaults};

use super::{is_loaded, kernel_name, say};

/// Makes an algorithm the default of this network namespace; `unload` undoes it
#[derive(Debug, Args)]
pub(crate) struct Default {
    /// Name such as lia; without it, the present default is printed
    name: Option<String>,
}

impl Default {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let Some(name) = &self.name else {
            say(defaults::current()?)?;
            return Ok(ExitCode::SUCCESS);
        };
        let name = kernel_name(name);
        if name.starts_with("mp_") && !is_loaded(&name)? {
            let remedy = "manypath-kernel load --pin";
            return Err(Error::usage(format!("{name} is not loaded; load it first: {remedy}")));
        }
        defaults::change(&name)?;
        say(format_args!("{name} is the default of new sockets"))?;
        Ok(ExitCode::SUCCESS)
    }
}
