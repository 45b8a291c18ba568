//! Runs Python and C programs with the library.

use crate::daemon::Daemon;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What scripts begin with: a listening socket, a pair of connected ones, and the release of connections that the daemon
/// holds. `PATIENCE` bounds the seconds of a wait that fails.
const PRELUDE: &str = "
import errno, fcntl, os, select, signal, socket, struct, sys, termios, threading, time
SCTP, PATIENCE = 132, 300
def release():
    open(os.environ['MANYPATH_SCTP_SOCKET'] + '.released', 'w').close()
def stream(**options):
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
def listening():
    listener = stream()
    listener.bind(('127.0.0.1', 0))
    listener.listen(8)
    return listener
def pair():
    listener = listening()
    client = stream()
    client.connect(listener.getsockname())
    server, _ = listener.accept()
    listener.close()
    return client, server
def fails(number, action, *arguments):
    try:
        action(*arguments)
    except OSError as error:
        assert error.errno == number, error
    else:
        raise AssertionError('no error')
";

/// The time limit of a program in seconds, longer than each wait in it. It bounds failures only.
const LIMIT: &str = "600";

/// The output of a program that succeeded.
pub(crate) struct Printed {
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs a Python script with the library and the prelude.
pub(crate) fn python(daemon: &Daemon, script: &str) -> Printed {
    python_at(Path::new("/"), daemon.path(), script)
}

/// The same in a folder. The environment names the daemon by `path`.
pub(crate) fn python_at(folder: &Path, path: &Path, script: &str) -> Printed {
    let mut command = Command::new("timeout");
    command.args([LIMIT, "python3", "-c"]).arg(format!("{PRELUDE}{script}")).current_dir(folder);
    run(path, command)
}

/// Builds and runs a C program with the library.
pub(crate) fn c(daemon: &Daemon, source: &str) -> Printed {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, binary) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&file, source).expect("a file");
    let built = Command::new("cc")
        .args(["-O2", "-D_FORTIFY_SOURCE=2", "-D_GNU_SOURCE", "-Wall", "-Werror"])
        .arg(&file)
        .arg("-o")
        .arg(&binary)
        .status()
        .expect("cc");
    assert!(built.success());
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(&binary);
    run(daemon.path(), command)
}

fn run(socket: &Path, mut command: Command) -> Printed {
    let output = command
        .env("LD_PRELOAD", library())
        .env("MANYPATH_SCTP_SOCKET", socket)
        .output()
        .expect("the program starts");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    Printed { out, err }
}

/// The library that cargo built for these tests.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    test.with_file_name("libmanypath_preload.so")
}
