//! The header of the C library is that which cbindgen makes of the functions.

use std::path::Path;

/// `make docs` sets it: the header is written, not compared.
const WRITE: &str = "MANYPATH_WRITE_HEADER";

#[test]
fn the_header_is_that_of_the_functions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("it is valid");
    let bindings = cbindgen::generate_with_config(folder, config).expect("functions");
    let mut made = Vec::new();
    bindings.write(&mut made);
    let file = folder.join("include/manypath_sctp.h");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&file, &made).expect("a file");
    }
    let there = std::fs::read(&file).expect("a file");
    assert!(there == made, "{} is out of date: run make docs", file.display());
}
