//! Temporary folders of files for the tests of the rules.

use crate::tree::Tree;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that is removed when the value is dropped.
pub(crate) struct Fixture {
    root: PathBuf,
}

impl Fixture {
    /// Writes `files` (name, text) into a new folder.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root =
            std::env::temp_dir().join(format!("manypath-xtask-{}-{number}", std::process::id()));
        for (file, text) in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().expect("a file has a folder"))
                .expect("a temporary folder");
            std::fs::write(path, text).expect("a temporary file");
        }
        Self { root }
    }

    /// The folder as input of a rule.
    pub(crate) fn tree(&self) -> Tree {
        Tree::open(&self.root).expect("the folder was just written")
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// The findings of a rule as lines of text.
pub(crate) fn lines(findings: &[crate::tree::Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}
