//! Options of the linker for the shared library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Programs that were linked find the version whose interface they use
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmanypath_sctp.so.0");
    // The thread of the stack and the handlers of fork and exit outlive a dlclose
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
