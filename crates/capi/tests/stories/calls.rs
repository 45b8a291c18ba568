//! `tests/programs/calls.c`, with the address and undefined behaviour sanitizers, which also find memory leaks.

use crate::installed::{cc, pkg_config};
use crate::program::tell;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A test program, built with sanitizers.
pub(crate) fn sanitized(name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    let options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-pthread"];
    cc(&source, &options, &pkg_config(&["--cflags", "--libs"]))
}

static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| sanitized("calls.c"));

fn story(name: &str) {
    tell(&PROGRAM, name, |_| ());
}

#[test]
fn wrong_settings_are_named_and_a_stack_starts_once() {
    story("settings");
}

#[test]
fn other_descriptors_are_refused_and_get_no_byte() {
    story("wrong_descriptors");
}

#[test]
fn wrong_pointers_and_lengths_are_refused_and_change_nothing() {
    story("wrong_pointers");
}

#[test]
fn messages_arrive_with_their_information() {
    story("messages");
}

#[test]
fn a_one_to_many_socket_opens_associations_and_peels_one_off() {
    story("one_to_many");
}

#[test]
fn sockets_have_options_and_several_addresses() {
    story("options_and_addresses");
}
