//! Hashes the sources of the engine, so that stored results can name the engine that computed them.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

mod locked;
mod tokens;

/// Everything that a result depends on.
const CRATES: [&str; 7] = ["cc", "core", "lab", "link", "sctp", "sim", "tcp"];

fn main() -> io::Result<()> {
    let lab =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the crate's folder"));
    let crates = lab.parent().expect("the crate lies in a folder").to_owned();
    let mut inputs = Vec::new();
    for name in CRATES {
        let folder = crates.join(name);
        inputs.push(folder.join("Cargo.toml"));
        collect(&folder.join("src"), &mut inputs)?;
        println!("cargo::rerun-if-changed={}", folder.join("src").display());
    }
    inputs.sort();
    let mut hash = Sha256::new();
    for input in &inputs {
        println!("cargo::rerun-if-changed={}", input.display());
        let name = input.strip_prefix(&crates).unwrap_or(input);
        let text = fs::read_to_string(input)?;
        hash.update(name.to_string_lossy().as_bytes());
        match name.extension() {
            Some(extension) if extension == "rs" => hash.update(tokens::of(&text)),
            _ => hash.update(text),
        }
    }
    let lock = crates.join("../Cargo.lock");
    if lock.is_file() {
        println!("cargo::rerun-if-changed={}", lock.display());
        hash.update(locked::below("manypath-lab", &fs::read_to_string(lock)?));
    }
    let hash: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=MANYPATH_ENGINE_VERSION={hash}");
    Ok(())
}

/// Adds every file below `folder`, except files and folders of unit tests.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
