//! The library as `make capi` installs it, in a folder of this test run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Installed once for all tests of this process.
static INSTALLED: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
    let test = std::env::current_exe().expect("this test");
    let built = test.parent().expect("a folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let installed =
        Command::new(here.join("install")).args([built, &folder]).status().expect("it runs");
    assert!(installed.success());
    folder
});

/// Programs that this process has built.
static BUILT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// The folder with `include` and `lib`.
pub(crate) fn prefix() -> &'static Path {
    &INSTALLED
}

/// What pkg-config says of the library.
pub(crate) fn pkg_config(arguments: &[&str]) -> Vec<String> {
    let said = Command::new("pkg-config")
        .args(arguments)
        .arg("manypath_sctp")
        .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"))
        .output()
        .expect("pkg-config is installed");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let said = String::from_utf8(said.stdout).expect("text");
    said.split_whitespace().map(str::to_owned).collect()
}

/// Builds a C program once; `options` go to the compiler.
pub(crate) fn cc(source: &Path, options: &[&str], libraries: &[String]) -> PathBuf {
    let name = source.file_stem().expect("a name").to_string_lossy();
    let binary = prefix().join(format!("{name}{}", options.concat().replace(['=', ','], "-")));
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.get_or_insert_default().insert(binary.clone()) {
        return binary;
    }
    let made = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"])
        .args(options)
        .arg(source)
        .args(libraries)
        .arg("-o")
        .arg(&binary)
        .output()
        .expect("cc is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    binary
}

#[test]
fn the_shared_library_exports_the_functions_of_the_header_alone() {
    let library = prefix().join("lib/libmanypath_sctp.so");
    let listed = Command::new("nm").args(["-D", "--defined-only"]).arg(&library).output();
    let listed = String::from_utf8(listed.expect("nm is installed").stdout).expect("text");
    let mut exported: Vec<&str> =
        listed.lines().filter_map(|line| line.split_whitespace().last()).collect();
    exported.sort_unstable();
    let header = std::fs::read_to_string(prefix().join("include/manypath_sctp.h")).expect("a file");
    let mut declared: Vec<&str> = header
        .split(|other: char| !(other.is_ascii_alphanumeric() || other == '_' || other == '('))
        .filter_map(|word| word.strip_suffix('(').or_else(|| Some(word.split_once('(')?.0)))
        .filter(|word| word.starts_with("manypath_sctp_"))
        .collect();
    declared.sort_unstable();
    declared.dedup();
    assert_eq!(exported, declared);
}

#[test]
fn the_header_is_valid_c_and_cpp_by_itself() {
    for (compiler, language) in [("cc", "c"), ("c++", "c++")] {
        let include = prefix().join("include/manypath_sctp.h");
        let checked = Command::new(compiler)
            .args(["-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror"])
            .arg(include)
            .output()
            .expect("the compiler is installed");
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}
