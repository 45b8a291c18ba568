//! Compiles the programs of `bpf/` into one object each, and their formulas for this machine, for tests.

use std::path::{Path, PathBuf};
use std::{env, fs};

use libbpf_cargo::SkeletonBuilder;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed=bpf");
    for entry in fs::read_dir("bpf").expect("the folder of this crate") {
        let path = entry.expect("a readable folder").path();
        if path.to_str().is_some_and(|name| name.ends_with(".bpf.c")) {
            compile(&path, &out);
        }
    }
    let template = Path::new("../../examples/kernel/mine.bpf.c");
    println!("cargo:rerun-if-changed={}", template.display());
    compile(template, &out);
    println!("cargo:rerun-if-changed=tests/formulas/twin/host.c");
    cc::Build::new().file("tests/formulas/twin/host.c").include("bpf").compile("manypath_twin");
}

fn compile(source: &Path, out: &Path) {
    let object = out.join(source.with_extension("o").file_name().expect("a file"));
    SkeletonBuilder::new()
        .source(source)
        .obj(object)
        .clang_args(["-Ibpf", "-mcpu=v3", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"])
        .build()
        .unwrap_or_else(|error| panic!("{}: {error:#}", source.display()));
}
