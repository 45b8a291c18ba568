//! Generated pages: writes them, or checks that they are up to date.

use crate::tree::{Finding, Tree};

/// Writes `text` to `file` if it differs.
pub(crate) fn write(tree: &Tree, file: &str, text: &str) -> Result<(), String> {
    let path = tree.root.join(file);
    if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let folder = path.parent().ok_or_else(|| format!("{file}: no folder"))?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{file}: {error}"))?;
    std::fs::write(&path, text).map_err(|error| format!("{file}: {error}"))
}

/// A finding if the content of `file` is not `text`.
pub(crate) fn check(tree: &Tree, file: &str, text: &str) -> Option<Finding> {
    let current = tree.read(file).is_ok_and(|old| old == text);
    (!current).then(|| Finding::on(file, "out of date: run `cargo xtask docs`"))
}
