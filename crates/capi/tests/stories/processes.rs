//! `tests/programs/processes.c`, with sanitizers.

use crate::calls::sanitized;
use crate::daemon::Daemon;
use crate::program::tell;
use std::path::PathBuf;
use std::sync::LazyLock;

static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| sanitized("processes.c"));

#[test]
fn loops_wait_for_connections_messages_and_the_end_of_the_stack() {
    tell(&PROGRAM, "waiting", |_| ());
}

#[test]
fn the_stack_has_descriptors_of_its_own_and_leaves_none() {
    tell(&PROGRAM, "descriptors_of_the_stack", |_| ());
}

#[test]
fn children_use_the_stack_of_their_parent_until_they_start_one() {
    tell(&PROGRAM, "children", |_| ());
}

#[test]
fn the_second_stack_on_an_address_connects_but_does_not_listen() {
    tell(&PROGRAM, "one_address", |_| ());
}

#[test]
fn a_program_that_exits_aborts_its_associations() {
    tell(&PROGRAM, "exit_without_stop", |_| ());
}

#[test]
fn a_stack_that_is_stopped_sends_what_closed_sockets_have_left() {
    tell(&PROGRAM, "stop_waits", |_| ());
}

#[test]
fn threads_share_the_library_and_signals_reach_the_program() {
    tell(&PROGRAM, "threads", |_| ());
}

#[test]
fn a_process_attaches_to_the_daemon_of_another() {
    let daemon = Daemon::start();
    tell(&PROGRAM, "attached", |command| {
        command.arg(&daemon.path).env("TEST_NETWORK", &daemon.network);
    });
}

#[test]
fn the_environment_names_the_daemon_of_a_process_without_a_stack() {
    let daemon = Daemon::start();
    tell(&PROGRAM, "by_environment", |command| {
        command.env("MANYPATH_SCTP_SOCKET", &daemon.path).env("TEST_NETWORK", &daemon.network);
    });
}
