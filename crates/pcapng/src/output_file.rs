//! Files that get packets or events. They never replace a file that manypath did not write.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Whether an output may be written to `file`: it does not exist, is empty, is a device or a pipe, or was written by
/// manypath. `is_ours` detects the last case by the first bytes. A disk is refused, because writing destroys its file
/// system. The disk is not changed.
///
/// # Errors
/// If the file cannot be read.
pub fn may_replace(file: &Path, is_ours: fn(&[u8]) -> bool) -> io::Result<bool> {
    match file.metadata() {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
            return Ok(!metadata.file_type().is_block_device());
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    }
    let mut head = Vec::new();
    File::open(file)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head.is_empty() || is_ours(&head))
}

/// A file that will be created. If it did not exist before, it is removed on drop unless it is kept or has content.
#[derive(Debug)]
pub struct NewFile(Option<PathBuf>);

impl NewFile {
    /// Must be called before the file is created.
    #[must_use]
    pub fn at(file: &Path) -> Self {
        let is_missing = file.symlink_metadata().is_err();
        Self(is_missing.then(|| file.to_owned()))
    }

    /// Keeps the file.
    pub fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(file) = &self.0
            && file.symlink_metadata().is_ok_and(|made| made.is_file() && made.len() == 0)
        {
            // The file may be gone
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Number of bytes by which a file is recognised.
const HEAD: u64 = 1 << 16;
