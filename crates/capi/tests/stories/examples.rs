//! The programs of `examples/c`, linked with the shared and with the static library.

use crate::installed::{cc, pkg_config};
use crate::program::{Running, command, network};
use std::path::{Path, PathBuf};

fn example(name: &str, options: &[&str], libraries: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    cc(&folder.join(name), options, &pkg_config(libraries))
}

fn shared(name: &str) -> PathBuf {
    example(name, &[], &["--cflags", "--libs"])
}

fn output(program: &Path, arguments: &[&str]) -> String {
    let output = command(program, arguments).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{said}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// Two paths between the server and a client, whose addresses are printed.
fn echoes_over_two_paths(server: &Path, client: &Path) {
    let network = network();
    let address = |number| format!("{network}{number}");
    let [first, second] = [address(1), address(2)];
    let _server = Running::listening(server, &[&format!("{first},{second}"), "7000"]);
    let local = format!("{},{}", address(3), address(4));
    let printed = output(client, &[&local, "7000", "hello", &first, &second]);
    assert_eq!(printed, format!("hello\n{first}\n{second}\n"));
}

#[test]
fn a_client_uses_two_paths_to_the_echo_server() {
    echoes_over_two_paths(&shared("echo_server.c"), &shared("two_paths.c"));
}

#[test]
fn programs_are_linked_statically() {
    let whole = |name| example(name, &["-static"], &["--static", "--cflags", "--libs"]);
    echoes_over_two_paths(&whole("echo_server.c"), &whole("two_paths.c"));
}

#[test]
fn the_event_loop_serves_several_clients_until_its_input_ends() {
    let network = network();
    let server = format!("{network}1");
    let running = Running::listening(&shared("event_loop.c"), &[&server, "7000"]);
    let client = shared("two_paths.c");
    std::thread::scope(|scope| {
        for number in 2..6 {
            let (network, server, client) = (&network, &server, &client);
            scope.spawn(move || {
                let text = format!("from {number}");
                let local = format!("{network}{number}");
                let printed = output(client, &[&local, "7000", &text, server]);
                assert_eq!(printed, format!("{text}\n{server}\n"));
            });
        }
    });
    assert!(running.ends_well());
}

#[test]
fn a_wrong_address_ends_an_example_with_one_line() {
    let output = command(&shared("event_loop.c"), &["nowhere", "7000"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.starts_with("`local` is \"nowhere\": expected an IPv4"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
