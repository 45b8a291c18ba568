//! `unload`: out of the kernel again.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::{Error, defaults, inventory};

use super::kernel_name;

/// Takes algorithms away; connections that have them go on
#[derive(Debug, Args)]
pub(crate) struct Unload {
    /// Names such as lia; all that are loaded if there is none
    names: Vec<String>,
}

impl Unload {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let registered = inventory::registered()?;
        let wanted: Vec<_> = self.names.iter().map(|name| kernel_name(name)).collect();
        if let Some(missing) =
            wanted.iter().find(|name| registered.iter().all(|it| it.name != **name))
        {
            return Err(Error::usage(format!(
                "{missing} is not loaded; manypath-kernel list shows what is"
            )));
        }
        for one in
            registered.into_iter().filter(|it| wanted.is_empty() || wanted.contains(&it.name))
        {
            let name = one.name.clone();
            if let Some(before) = defaults::restore(&name)? {
                println!("{before} is the default of new sockets again");
            }
            one.unload()?;
            println!("{name} is unloaded");
        }
        Ok(ExitCode::SUCCESS)
    }
}
