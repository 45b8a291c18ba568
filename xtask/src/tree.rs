//! The files of the checkout, and findings about them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The project's files, relative to its root, with `/` between folders.
pub(crate) struct Tree {
    /// The folder with the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Every file that git tracks or would track, sorted, without symbolic links.
    pub(crate) files: Vec<String>,
}

impl Tree {
    /// Lists the checkout at `root` by git, or the whole folder without git.
    pub(crate) fn open(root: &Path) -> Result<Self, String> {
        let mut files = match listed_by_git(root) {
            Some(files) => files,
            None => walked(root)?,
        };
        // The target of a link is listed under its own name.
        files.retain(|file| root.join(file).is_file() && !root.join(file).is_symlink());
        files.sort();
        files.dedup();
        Ok(Self { root: root.to_owned(), files })
    }

    /// The text of a file; an error names the file.
    pub(crate) fn read(&self, file: &str) -> Result<String, String> {
        std::fs::read_to_string(self.root.join(file)).map_err(|error| format!("{file}: {error}"))
    }

    /// The files with one of these endings, with their text.
    pub(crate) fn texts(&self, endings: &[&str]) -> Result<Vec<(&str, String)>, String> {
        self.files
            .iter()
            .filter(|file| endings.iter().any(|ending| file.ends_with(ending)))
            .map(|file| Ok((file.as_str(), self.read(file)?)))
            .collect()
    }
}

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    file: String,
    line: Option<usize>,
    says: String,
}

impl Finding {
    /// A finding about a whole file, or about something without a file (a crate).
    pub(crate) fn on(file: &str, says: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, says: says.into() }
    }

    /// A finding about a line, counted from 1.
    pub(crate) fn at(file: &str, line: usize, says: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: Some(line), says: says.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.says),
            None => write!(f, "{}: {}", self.file, self.says),
        }
    }
}

/// The parent folder of this crate.
pub(crate) fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Tracked files and new files that are not ignored; `None` without git.
fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let files = text.split('\0').filter(|file| !file.is_empty());
    output.status.success().then(|| files.map(str::to_owned).collect())
}

/// Every file below `root` that is neither hidden nor built.
fn walked(root: &Path) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || name == "target" || name == "__pycache__" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(file) = path.strip_prefix(root) {
                files.push(file.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_is_not_listed_beside_the_file() {
        let fixture = Fixture::new(&[("examples/one.toml", ""), ("package/two.toml", "")]);
        let root = fixture.tree().root;
        std::os::unix::fs::symlink("../examples/one.toml", root.join("package/one.toml"))
            .expect("a temporary link");
        assert_eq!(fixture.tree().files, ["examples/one.toml", "package/two.toml"]);
    }
}
