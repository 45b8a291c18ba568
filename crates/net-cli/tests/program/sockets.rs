//! `manypath-net run`: unmodified programs with SCTP sockets.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::peer::loopback;
use crate::ports;
use crate::process::{Process, names};

/// The library for programs, which a build of the whole workspace makes.
pub(crate) fn library() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let test = std::env::current_exe().expect("this test");
        let library = test.with_file_name("libmanypath_preload.so");
        let library = library.into_os_string().into_string().expect("it is UTF-8");
        let remedy = "build it with `make test-build`, or `cargo build --package manypath-preload`";
        assert!(
            std::fs::exists(&library).is_ok_and(|is_there| is_there),
            "{library} is missing: {remedy}"
        );
        library
    })
}

/// Runs a program of Python.
fn run(local: &str, udp: u16, program: &str) -> Process {
    let udp = udp.to_string();
    let words = ["run", "--local", local, "--encapsulation", &udp, "--preload", library()];
    Process::start(words.into_iter().chain(["--", "python3", "-c", program]))
}

/// A port that is free on the addresses of two daemons.
pub(crate) fn free_port() -> u16 {
    ports::free_port(&[1, 2].map(loopback))
}

#[test]
fn programs_of_python_exchange_messages() {
    let udp = free_port();
    let mut server = run("127.0.0.1", udp, SERVER);
    assert_eq!(server.out_line(), "listening\n");
    let client = run("127.0.0.2", udp, CLIENT).wait();
    assert_eq!((client.out.as_str(), client.code), ("100000\n", Some(3)), "{}", client.err);
    let server = server.wait();
    assert_eq!((server.out.as_str(), server.code), ("127.0.0.2\nend\n", Some(0)), "{}", server.err);
}

#[test]
fn a_program_may_end_before_its_data_has_arrived() {
    let udp = free_port();
    let counter = SERVER.replace("accepted.sendall(message.upper())", "print(len(message))");
    let mut server = run("127.0.0.1", udp, &counter);
    assert_eq!(server.out_line(), "listening\n");
    let sender = "import socket; it = socket.socket(proto=132); it.connect(('127.0.0.1', 5001))\n\
                  for _ in range(20): it.sendall(bytes(100000))";
    let sender = run("127.0.0.2", udp, sender).wait();
    assert_eq!(sender.code, Some(0), "{}", sender.err);
    let said = server.wait();
    let all = format!("127.0.0.2\n{}end\n", "100000\n".repeat(20));
    assert_eq!((said.out, said.code), (all, Some(0)), "{}", said.err);
}

#[test]
fn the_end_of_a_program_is_that_of_the_wrapper() {
    let ends = |program: &str| run("127.0.0.1", free_port(), program).wait().code;
    assert_eq!(ends("raise SystemExit(7)"), Some(7));
    assert_eq!(ends("import os; os.kill(os.getpid(), 9)"), Some(128 + 9));
    let mut waits = run(
        "127.0.0.1",
        free_port(),
        "import signal, sys\n\
         signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n\
         print('ready', flush=True)\n\
         signal.pause()",
    );
    assert_eq!(waits.out_line(), "ready\n");
    waits.terminate();
    assert_eq!(waits.wait().code, Some(5), "the program has handled the signal");
}

#[test]
fn signals_of_the_wrapper_reach_the_program() {
    let mut program = run(
        "127.0.0.1",
        free_port(),
        "import signal, sys\n\
         names = ['HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'TERM']\n\
         numbers = [getattr(signal, 'SIG' + name) for name in names]\n\
         signal.pthread_sigmask(signal.SIG_BLOCK, numbers)\n\
         print('ready', flush=True)\n\
         for _ in names: print(signal.Signals(signal.sigwait(numbers)).name, flush=True)\n\
         sys.exit(4)",
    );
    assert_eq!(program.out_line(), "ready\n");
    // Standard input is no terminal, which would send SIGINT and SIGQUIT by itself
    for name in ["HUP", "INT", "QUIT", "USR1", "USR2", "TERM"] {
        program.signal(name);
        assert_eq!(program.out_line(), format!("SIG{name}\n"));
    }
    assert_eq!(program.wait().code, Some(4));
}

#[test]
fn the_program_blocks_the_signals_that_the_wrapper_was_started_with() {
    let mask = "import signal; print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))";
    let blocking = "import os, signal, sys\n\
                    signal.pthread_sigmask(signal.SIG_SETMASK, [signal.SIGUSR1, signal.SIGURG])\n\
                    os.execvp(sys.argv[1], sys.argv[1:])";
    let program = [env!("CARGO_BIN_EXE_manypath-net"), "run", "--local", "127.0.0.1"];
    let udp = free_port().to_string();
    let mut command = Command::new("python3");
    command.args(["-c", blocking]).args(program).args(["--encapsulation", &udp]);
    command.args(["--preload", library(), "--", "python3", "-c", mask]);
    let said = Process::of(command).wait();
    assert_eq!(said.code, Some(0), "{}", said.err);
    let names: Vec<_> = said.out.split('<').filter_map(|it| it.split(':').next()).skip(1).collect();
    assert_eq!(names, ["Signals.SIGUSR1", "Signals.SIGURG"], "{}", said.out);
}

#[test]
fn the_wrapper_takes_more_files_and_leaves_the_limit_of_the_program() {
    let words = ["run", "--local", "127.0.0.1", "--encapsulation"];
    let udp = free_port().to_string();
    let program = "import resource\n\
                   print(*resource.getrlimit(resource.RLIMIT_NOFILE), flush=True)\n\
                   input()";
    let mut command = Command::new("prlimit");
    command.args(["--nofile=100:200", env!("CARGO_BIN_EXE_manypath-net")]).args(words);
    command.args([&udp, "--preload", library(), "--", "python3", "-c", program]);
    let mut wrapper = Process::with_input(command);
    assert_eq!(wrapper.out_line(), "100 200\n");
    assert_eq!(wrapper.limits_of_files(), ["200", "200"]);
    drop(wrapper);
}

#[test]
fn a_folder_that_has_no_room_for_the_socket_is_named() {
    let long = tempfile::tempdir().expect("a folder");
    let long = long.path().join("x".repeat(120));
    std::fs::create_dir(&long).expect("a folder");
    let long = long.to_str().expect("text");
    for (place, mistake) in [
        ("/nowhere", "`TMPDIR` is /nowhere, expected a folder for a Unix socket: No such file"),
        (long, &format!("the socket in `TMPDIR` is {long}/")),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manypath-net"));
        command.args(["run", "--preload", library(), "--", "true"]).env("TMPDIR", place);
        let said = Process::of(command).wait();
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.starts_with(&format!("error: {mistake}")), "{said:?}");
        assert_eq!(said.err.matches('\n').count(), 1, "{said:?}");
    }
}

#[test]
fn a_missing_library_is_named() {
    let missing = PathBuf::from("/nowhere/libmanypath_preload.so");
    let words = ["run", "--preload", missing.to_str().expect("text"), "--", "true"];
    let said = Process::start(words).wait();
    assert_eq!(said.code, Some(2));
    assert!(said.err.starts_with("error: `--preload`"), "{}", said.err);
}

#[test]
fn a_library_whose_path_the_dynamic_linker_would_split_is_named() {
    for name in ["two words.so", "one:two.so"] {
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join(name);
        std::fs::write(&library, "").expect("there is room");
        let library = library.to_str().expect("text");
        let said = Process::start(["run", "--preload", library, "--", "true"]).wait();
        assert_eq!(said.code, Some(2), "{said:?}");
        let mistake = format!("error: `--preload` is {library}, expected a path without spaces");
        assert!(said.err.starts_with(&mistake), "{said:?}");
        assert_eq!(said.err.matches('\n').count(), 1, "{said:?}");
    }
}

#[test]
fn a_library_and_a_command_that_cannot_be_loaded_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.so");
    std::fs::write(&text, "no library").expect("there is room");
    let text = text.to_str().expect("text");
    let names_text = format!("`--preload` is {text}, expected a shared library\n");
    let names_program = format!("COMMAND is {text:?}: it is not executable, expected a program\n");
    for (words, mistake, code) in [
        (["--preload", text, "--", "true"], names_text.as_str(), 2),
        (["--preload", "/", "--", "true"], "`--preload` is /: it is a folder, expected", 2),
        // As in shells
        (
            ["--preload", library(), "--", ""],
            "COMMAND is \"\": expected the name of a program",
            127,
        ),
        (
            ["--preload", library(), "--", "a\nb"],
            "COMMAND is \"a\\nb\": no folder of PATH has",
            127,
        ),
        (["--preload", library(), "--", "/a"], "COMMAND is \"/a\": No such file or directory", 127),
        (["--preload", library(), "--", "/"], "COMMAND is \"/\": it is a folder", 126),
        (["--preload", library(), "--", text], names_program.as_str(), 126),
    ] {
        let capture = folder.path().join("new.pcapng");
        let capture = ["--pcapng", capture.to_str().expect("text")];
        let said = Process::start([&["run"][..], &capture, &words].concat()).wait();
        assert_eq!(names(folder.path()), ["text.so"], "an empty capture: {said:?}");
        assert_eq!(said.code, Some(code), "{said:?}");
        assert!(said.err.starts_with(&format!("error: {mistake}")), "{said:?}");
        assert_eq!(said.err.matches('\n').count(), 1, "{said:?}");
    }
}

#[test]
fn a_machine_without_files_for_the_program_is_reported_in_one_line() {
    let mut command = Command::new("prlimit");
    command.args(["--nofile=8", env!("CARGO_BIN_EXE_manypath-net"), "run", "--", "true"]);
    let said = Process::of(command).wait();
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.starts_with("error: files: Too many open files"), "{said:?}");
    assert_eq!(said.err.matches('\n').count(), 1, "{said:?}");
}

const SERVER: &str = "
import socket
listener = socket.socket(proto=132)
listener.bind(('127.0.0.1', 5001))
listener.listen(1)
print('listening', flush=True)
accepted, peer = listener.accept()
print(peer[0], flush=True)
while message := accepted.recv(200000):
    accepted.sendall(message.upper())
print('end', flush=True)
";

const CLIENT: &str = "
import socket, sys
connected = socket.socket(proto=132)
connected.settimeout(300)
connected.connect(('127.0.0.1', 5001))
connected.sendall(b'hello')
assert connected.recv(100) == b'HELLO'
connected.sendall(b'x' * 100000)
length = 0
while length < 100000:
    part = connected.recv(3000)
    assert part == b'X' * len(part)
    length += len(part)
print(length)
sys.exit(3)
";
