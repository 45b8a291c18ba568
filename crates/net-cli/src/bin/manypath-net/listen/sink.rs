//! The destination of received payload.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use manypath_program::takes_files;
use tokio::task::block_in_place;

use crate::failure::Failure;

/// The destination from the command line.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Nothing,
    Stdout,
    Folder(PathBuf),
}

/// The destination for one association.
#[derive(Debug)]
pub(crate) enum Sink {
    Nothing,
    Stdout,
    File(BufWriter<File>, PathBuf),
}

impl Target {
    pub(crate) fn new(output: Option<PathBuf>) -> Result<Self, Failure> {
        match output {
            None => Ok(Self::Nothing),
            Some(output) if output == Path::new("-") => Ok(Self::Stdout),
            Some(output) => {
                takes_files("--output", &output)?;
                Ok(Self::Folder(output))
            }
        }
    }

    pub(crate) fn takes_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    /// Opens the destination for an association. An existing file is never replaced.
    pub(crate) fn open(&self, peer: &str, number: u64) -> Result<Sink, Failure> {
        match self {
            Self::Nothing => Ok(Sink::Nothing),
            Self::Stdout => Ok(Sink::Stdout),
            Self::Folder(folder) => {
                let path = folder.join(file_name(peer, number));
                let file = block_in_place(|| File::create_new(&path));
                let file = file.map_err(|error| Failure::file(&path, &error))?;
                Ok(Sink::File(BufWriter::new(file), path))
            }
        }
    }
}

impl Sink {
    pub(crate) fn write(&mut self, payload: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Nothing => Ok(()),
            Self::Stdout => {
                // One lock per message, so that messages of several associations do not mix
                let mut out = io::stdout().lock();
                let written = block_in_place(|| out.write_all(payload).and_then(|()| out.flush()));
                written.map_err(|error| Failure::file(Path::new("standard output"), &error))
            }
            Self::File(file, path) => block_in_place(|| file.write_all(payload))
                .map_err(|error| Failure::file(path, &error)),
        }
    }

    /// Completes the output.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Nothing | Self::Stdout => Ok(()),
            Self::File(mut file, path) => {
                block_in_place(|| file.flush()).map_err(|error| Failure::file(&path, &error))
            }
        }
    }
}

/// The number comes first, so that a listing is in order. IPv6 addresses lose their brackets and colons.
fn file_name(peer: &str, number: u64) -> String {
    let plain = peer.replace(['[', ']'], "").replace(':', "-");
    format!("{number:05}_{plain}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_have_the_number_and_the_peer() {
        assert_eq!(file_name("192.0.2.7:5001", 12), "00012_192.0.2.7-5001");
        assert_eq!(file_name("[2001:db8::7]:5001", 1), "00001_2001-db8--7-5001");
    }
}
