//! `unload`: unloads algorithms.

use std::process::ExitCode;

use clap::Args;
use manypath_bpf::{Error, defaults, inventory};

use super::{kernel_name, say};

/// Unloads algorithms; connections that use them continue
#[derive(Debug, Args)]
pub(crate) struct Unload {
    /// Names such as lia
    names: Vec<String>,
    /// All that are loaded, also by other processes
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

impl Unload {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let registered = inventory::registered()?;
        if self.names.is_empty() && !self.all {
            let loaded: Vec<_> = registered.iter().map(|it| it.name.as_str()).collect();
            let loaded = if loaded.is_empty() { "nothing".to_owned() } else { loaded.join(", ") };
            return Err(Error::usage(format!("a name or --all is missing (loaded: {loaded})")));
        }
        let wanted: Vec<_> = self.names.iter().map(|name| kernel_name(name)).collect();
        if let Some(missing) =
            wanted.iter().find(|name| registered.iter().all(|it| it.name != **name))
        {
            return Err(Error::usage(format!(
                "{missing:?} is not loaded; manypath-kernel list shows what is"
            )));
        }
        for one in registered.into_iter().filter(|it| self.all || wanted.contains(&it.name)) {
            let (name, kept_by) = (one.name.clone(), one.kept_by());
            if let Some(before) = defaults::restore(&name)? {
                say(format_args!("{before} is the default of new sockets again"))?;
            }
            one.unload()?;
            say(format_args!("{name} is unloaded, which {kept_by} had kept"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
