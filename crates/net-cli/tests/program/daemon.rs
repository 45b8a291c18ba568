//! `manypath-net serve`: its configuration file, its rights, its metrics, and its end.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::{TempDir, tempdir};

use crate::process::{PATIENCE, Process, Said, names, run};
use crate::sockets::{free_port, library};

/// A folder with a configuration file.
struct Folder {
    folder: TempDir,
    file: PathBuf,
}

impl Folder {
    fn with(text: &str) -> Self {
        let folder = tempdir().unwrap();
        let file = folder.path().join("serve.toml");
        std::fs::write(&file, text).unwrap();
        Self { folder, file }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// A copy of the library for users that may not read the folder of the build.
    fn copied_library(&self) -> PathBuf {
        self.folder.path().join("library.so")
    }

    /// Lets a program use the daemon's sockets by the copied library, and returns what it has printed at its end.
    fn said_by(&self, program: Command) -> Said {
        self.said_at(&self.socket(), program)
    }

    /// The same with the daemon at another socket.
    fn said_at(&self, socket: &Path, mut program: Command) -> Said {
        program.env("MANYPATH_SCTP_SOCKET", socket);
        program.env("LD_PRELOAD", self.copied_library());
        Process::of(program).wait()
    }

    /// A running daemon with the file and further words.
    fn serve(&self, more: &[&str]) -> Process {
        let socket = self.socket();
        let mut words = vec!["serve", "--config", self.file.to_str().unwrap()];
        words.extend(["--socket", socket.to_str().unwrap()]);
        words.extend(more);
        let mut daemon = Process::start(words);
        assert_eq!(daemon.line(), format!("sockets at {}\n", socket.display()));
        daemon
    }
}

/// Ends a daemon.
fn stopped(daemon: Process) -> Said {
    daemon.terminate();
    daemon.wait()
}

/// A program of Python with sockets of a daemon.
fn python(socket: &Path, program: &str) -> Process {
    let mut command = Command::new("python3");
    command.args(["-c", program]).env("MANYPATH_SCTP_SOCKET", socket).env("LD_PRELOAD", library());
    Process::of(command)
}

#[test]
fn each_mistake_of_a_configuration_file_is_one_line() {
    let many = (1..=17).map(|last| format!("\"127.0.0.{last}\"")).collect::<Vec<_>>().join(",");
    let many = format!("local = [{many}]");
    let table = [
        ("limt = 3", "`limt` is not an option: did you mean \"limit\"?"),
        ("zzz = 3", "`zzz` is not an option: known: socket, group, "),
        ("config = \"x\"", "`config` is not an option"),
        ("limit = 0", "`limit` is 0, expected a whole number, from 1 to 65536"),
        ("limit = -1", "`limit` is -1, expected a whole number, from 1 to 65536"),
        ("limit = \"many\"", "`limit` is \"many\", expected a whole number, from 1 to 65536"),
        ("limit = [1, 2]", "`limit` is an array, expected a text or a number"),
        ("limit = true", "`limit` is true, expected a text or a number"),
        ("buffer = 1000", "`buffer` is 1000, expected a whole number, from 200000 to 1073741824"),
        ("drain = -1.5", "`drain` is -1.5, expected a time such as 1 s, from 0 to 86400 s"),
        ("raw = \"yes\"", "`raw` is \"yes\", expected true or false"),
        ("local = [\"here\"]", "`local` is \"here\", expected an IPv4 or IPv6 address, perhaps"),
        ("local = [[1]]", "`local` is an array, expected texts in an array"),
        ("local = \"203.0.113.7\"", "`local` is 203.0.113.7, expected an address of this"),
        ("local = \"224.0.0.1\"", "`local` is 224.0.0.1, expected a unicast address of this"),
        ("local = \"::1%none\"", "`local` is on interface \"none\", expected an interface of this"),
        (&many, "`local` is 17 addresses, expected at most 16"),
        ("metrics = -1", "`metrics` is -1, expected a port, or an address and a port"),
        ("metrics = \"x\"", "`metrics` is \"x\", expected a port, or an address and a port"),
        ("[limit]\nx = 1", "`limit` is a table, expected a text or a number"),
        ("raw = true\nencapsulation = 9", "`raw` cannot be used with `encapsulation`"),
        (
            "only = [\"recovery\"]",
            "`events` is missing, expected it beside an option that needs it",
        ),
        ("limit = ", "line 1: "),
        ("raw = true\nlimit = 1\nlimit = 2", "line 3: "),
        (
            "cc = \"cmt-rpv\"",
            "`cc` is \"cmt-rpv\", expected an existing congestion control; did you mean \"cmt-rpv1\"?",
        ),
        (
            "events = \"/missing/x\"",
            "`events` is /missing/x: there is no such folder: make it first",
        ),
        ("group = \"no-such-group\"", "`group` is \"no-such-group\", expected a group of this"),
        ("socket = \"\"", "`socket` is \"\", expected a text"),
        (
            "socket = \"/missing/socket\"",
            "`socket` is /missing/socket, expected a path for a Unix socket: No such file",
        ),
    ];
    for (text, mistake) in table {
        let at = Folder::with(text);
        let file = at.file.to_str().unwrap();
        let is_socket = text.starts_with("socket");
        let socket = at.socket();
        let own = ["--socket", socket.to_str().unwrap()];
        let words = [&["serve", "--config", file][..], if is_socket { &[] } else { &own }].concat();
        let said = run(words);
        assert_eq!(said.code, Some(2), "{text}: {said:?}");
        assert!(said.err.starts_with(&format!("error: {file}: {mistake}")), "{text}: {said:?}");
        assert_eq!(said.err.matches('\n').count(), 1, "{text}: {said:?}");
        assert_eq!(names(at.folder.path()), ["serve.toml"], "{text}");
    }
}

#[test]
fn a_missing_file_or_socket_is_named() {
    let at = Folder::with("limit = 3");
    let file = at.file.to_str().unwrap();
    for (words, mistake) in [
        (
            &["serve", "--config", "/missing.toml"][..],
            "/missing.toml: it cannot be read: No such file",
        ),
        (&["serve", "--config", file], "`--socket` is missing, expected the path of the Unix"),
        (&["serve"], "the following required arguments were not provided: --socket <PATH>"),
        (&["serve", "--config", file, "--limit", "0"], "invalid value '0' for '--limit <COUNT>'"),
        (&["serve", "--socket", "/missing/x"], "`--socket` is /missing/x, expected a path for a"),
        (&["serve", "--socket", "/x", "--cc", "no"], "`--cc` is \"no\", expected an existing"),
    ] {
        let said = run(words);
        assert_eq!(said.code, Some(2), "{words:?}: {said:?}");
        assert!(said.err.starts_with(&format!("error: {mistake}")), "{words:?}: {said:?}");
        assert_eq!(said.err.matches('\n').count(), 1, "{words:?}: {said:?}");
    }
}

#[test]
fn the_command_line_has_precedence_over_the_file() {
    let udp = free_port();
    let at = Folder::with("raw = true\nlocal = [\"203.0.113.7\", \"203.0.113.8\"]\nlimit = 7\n");
    // `--encapsulation` excludes the `raw` of the file
    let udp = udp.to_string();
    let daemon = at.serve(&["--encapsulation", &udp, "--local", "127.0.0.1", "--limit", "1"]);
    let program = "import socket\n\
                   one = socket.socket(proto=132)\n\
                   one.bind(('127.0.0.1', 5001))\n\
                   one.listen(1)\n\
                   try: socket.socket(proto=132)\n\
                   except OSError as error: print(error.errno)";
    let said = python(&at.socket(), program).wait();
    assert_eq!((said.out.as_str(), said.code), ("23\n", Some(0)), "ENFILE: {}", said.err);
    assert_eq!(stopped(daemon).code, Some(0));
}

#[test]
fn the_example_has_every_option_and_starts_a_daemon() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/systemd/manypath-net.toml");
    let text = std::fs::read_to_string(example).expect("it is there");
    let help = run(["serve", "--help"]).out;
    let options = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
    let options = options.map(|line| line.split([' ', '<']).next().unwrap_or_default());
    let options: Vec<_> = options.filter(|name| *name != "config" && *name != "help").collect();
    assert!(options.len() > 12, "{help}");
    for name in options {
        let is_there =
            |line: &str| line.trim_start_matches("# ").starts_with(&format!("{name} = "));
        assert!(text.lines().any(is_there), "{name}");
    }
    // Every value is a valid one; the addresses, the outputs, the group and the socket are those of a system
    let system = ["local", "group", "socket", "pcapng", "events", "only", "metrics", "raw"];
    let lines = text.lines().map(|line| line.trim_start_matches("# "));
    let is_value = |line: &&str| line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let is_portable = |line: &&str| !system.iter().any(|key| line.starts_with(&format!("{key} =")));
    let values: Vec<_> = lines.filter(is_value).filter(is_portable).collect();
    assert!(values.len() > 5, "{values:?}");
    let at = Folder::with(&values.join("\n"));
    assert_eq!(stopped(at.serve(&[])).err, "");
}

#[test]
fn metrics_events_and_the_capture_are_those_of_all_sockets() {
    let udp = free_port();
    let at = Folder::with(&format!("encapsulation = {udp}\nlocal = [\"127.0.0.1\"]\n"));
    let events = at.folder.path().join("events.jsonl");
    let capture = at.folder.path().join("capture.pcapng");
    let (file, port) = (events.to_str().unwrap(), free_port().to_string());
    let words = ["--events", file, "--only", "connectivity", "--metrics", &port, "--pcapng"];
    let daemon = at.serve(&[&words[..], &[capture.to_str().unwrap()]].concat());
    let mut server = python(
        &at.socket(),
        &format!("{ACCEPTS}print(len(other.recv(100)), flush=True)\nother.recv(1)"),
    );
    assert_eq!(server.out_line(), "listening\n");
    let metrics = || {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    assert!(metrics().contains("\nmanypath_daemon_sockets{phase=\"listening\"} 1\n"));
    let there = Folder::with(&format!("encapsulation = {udp}\nlocal = \"127.0.0.2\"\n"));
    let other = there.serve(&[]);
    let client = "import socket\n\
                  one = socket.socket(proto=132)\n\
                  one.connect(('127.0.0.1', 5001))\n\
                  one.sendall(b'hello')\n\
                  one.recv(1)";
    let client = python(&there.socket(), client);
    assert_eq!(server.out_line(), "5\n");
    let text = metrics();
    let sample = "\nmanypath_endpoint_associations{endpoint=\"127.0.0.1:5001\"} 1\n";
    assert!(text.contains(sample), "{text}");
    // The kernel closes its sockets
    server.kill();
    assert_eq!(server.wait().code, None);
    assert_eq!(client.wait().code, Some(0));
    assert_eq!(stopped(daemon).err, "");
    assert_eq!(stopped(other).code, Some(0));
    let events = std::fs::read_to_string(events).unwrap();
    assert!(events.contains("connectivity:connection_established"), "{events}");
    assert!(events.contains("connectivity:connection_closed"), "{events}");
    let capture = std::fs::read(capture).unwrap();
    // The section header block of pcapng
    assert!(capture.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]));
    assert!(capture.windows(5).any(|bytes| bytes == b"hello"), "{} bytes", capture.len());
}

#[test]
fn the_service_manager_is_notified_when_the_daemon_is_ready_and_when_it_ends() {
    let at = Folder::with("");
    let manager = at.folder.path().join("notify");
    let messages = UnixDatagram::bind(&manager).unwrap();
    messages.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_manypath-net"));
    command.args(["serve", "--socket"]).arg(at.socket()).env("NOTIFY_SOCKET", &manager);
    let daemon = Process::of(command);
    let next = || {
        let mut bytes = [0; 100];
        let length = messages.recv(&mut bytes).expect("a message");
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    assert_eq!(next(), "READY=1");
    assert!(at.socket().exists(), "programs can connect");
    daemon.terminate();
    assert_eq!(next(), "STOPPING=1");
    assert_eq!(daemon.wait().code, Some(0));
    assert!(!at.socket().exists(), "the socket is removed");
}

#[test]
fn the_socket_of_a_killed_daemon_is_replaced_and_that_of_a_running_one_is_not() {
    let at = Folder::with("");
    let mut killed = at.serve(&[]);
    killed.kill();
    assert_eq!(killed.wait().code, None);
    assert!(at.socket().exists());
    let daemon = at.serve(&[]);
    let socket = at.socket();
    let said = run(["serve", "--socket", socket.to_str().unwrap()]);
    assert!(said.err.contains("Address already in use"), "{said:?}");
    assert_eq!(said.code, Some(2));
    let said = python(&socket, "import socket; socket.socket(proto=132)").wait();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(stopped(daemon).code, Some(0));
    // Other files stay
    std::fs::write(&socket, "mine").unwrap();
    let said = run(["serve", "--socket", socket.to_str().unwrap()]);
    assert_eq!((said.code, std::fs::read(&socket).unwrap()), (Some(2), b"mine".to_vec()));
    assert!(said.err.contains("another file has this name: choose another one"), "{said:?}");
}

#[test]
fn a_daemon_serves_without_room_for_its_messages() {
    let at = Folder::with("");
    let (socket, port) = (at.socket(), free_port().to_string());
    let socket = ["serve", "--socket", socket.to_str().unwrap()];
    let network = ["--local", "127.0.0.1", "--encapsulation", &port];
    let daemon = Process::without_room(socket.into_iter().chain(network));
    let limit = Instant::now() + PATIENCE;
    while !at.socket().exists() {
        assert!(Instant::now() < limit, "there is no socket");
        std::thread::sleep(Duration::from_millis(10));
    }
    let said = python(&at.socket(), "import socket; socket.socket(proto=132)").wait();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(stopped(daemon).code, Some(0));
}

#[test]
fn a_name_with_a_line_feed_is_reported_in_one_line() {
    let said = run(["serve", "--socket", "/nowhere\n/socket"]);
    let line = "error: `--socket` is /nowhere\\n/socket, expected a path for a Unix socket: No such \
                file or directory (os error 2)\n";
    assert_eq!((said.code, said.err.as_str()), (Some(2), line));
}

#[test]
fn a_daemon_that_ends_leaves_the_socket_of_its_successor() {
    let at = Folder::with("");
    let first = at.serve(&[]);
    std::fs::remove_file(at.socket()).unwrap();
    let second = at.serve(&[]);
    assert_eq!(stopped(first).code, Some(0));
    let said = python(&at.socket(), "import socket; socket.socket(proto=132)").wait();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(stopped(second).code, Some(0));
    assert!(!at.socket().exists());
}

/// A folder whose socket programs of other users can reach, with a library that they can read. `None` if this test
/// cannot run programs of other users.
fn for_all_users() -> Option<Folder> {
    let id = Command::new("id").arg("-u").output().expect("it is there").stdout;
    if id != b"0\n" || !Path::new(PYTHON).exists() {
        eprintln!("not run: it needs root, and {PYTHON}, which every user may run");
        return None;
    }
    let at = Folder::with("");
    std::fs::set_permissions(at.folder.path(), Permissions::from_mode(0o755)).unwrap();
    std::fs::copy(library(), at.copied_library()).expect("there is room");
    Some(at)
}

/// What a program of another user, with one supplementary group, gets for a socket.
fn socket_of(user: u32, group: u32, at: &Folder, socket: &Path) -> String {
    let program = "import socket\n\
                   try: socket.socket(proto=132); print('open')\n\
                   except OSError as error: print(error.errno)";
    let mut command = Command::new("setpriv");
    command.args([&format!("--reuid={user}"), "--regid=65534", &format!("--groups={group}")]);
    command.args([PYTHON, "-c", program]);
    let said = at.said_at(socket, command);
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
}

#[test]
fn only_members_of_the_group_open_sockets_beside_the_user() {
    let Some(at) = for_all_users() else { return };
    // Group 1 is `daemon` on every Linux system
    let daemon = at.serve(&["--group", "daemon"]);
    assert_eq!(socket_of(12_345, 1, &at, &at.socket()), "open\n");
    assert_eq!(socket_of(12_345, 2, &at, &at.socket()), PERMISSION_DENIED);
    assert_eq!(stopped(daemon).code, Some(0));
    let daemon = at.serve(&[]);
    assert_eq!(socket_of(0, 2, &at, &at.socket()), "open\n");
    assert_eq!(socket_of(12_345, 1, &at, &at.socket()), PERMISSION_DENIED);
    assert_eq!(stopped(daemon).code, Some(0));
}

#[test]
fn root_and_the_user_of_the_daemon_open_its_sockets() {
    let Some(at) = for_all_users() else { return };
    let (program, socket) =
        (at.folder.path().join("manypath-net"), at.folder.path().join("own/socket"));
    // A copy by this process could be open for writing in a child of another test, which prevents its execution
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_manypath-net")).arg(&program).status();
    assert!(copied.expect("cp starts").success());
    std::fs::create_dir(at.folder.path().join("own")).unwrap();
    std::os::unix::fs::chown(at.folder.path().join("own"), Some(12_345), None).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=12345", "--regid=65534", "--clear-groups"]).arg(&program);
    command.args(["serve", "--local", "127.0.0.1", "--encapsulation", &free_port().to_string()]);
    let mut daemon = Process::of({
        command.arg("--socket").arg(&socket);
        command
    });
    assert_eq!(daemon.line(), format!("sockets at {}\n", socket.display()));
    for (user, gets) in [(0, "open\n"), (12_345, "open\n"), (12_346, PERMISSION_DENIED)] {
        assert_eq!(socket_of(user, 2, &at, &socket), gets, "{user}");
    }
    assert_eq!(stopped(daemon).code, Some(0));
}

#[test]
fn a_program_that_changes_its_user_can_use_its_sockets_and_open_no_others() {
    let Some(at) = for_all_users() else { return };
    let udp = free_port().to_string();
    let daemon = at.serve(&["--encapsulation", &udp, "--local", "127.0.0.1"]);
    let program = "import os, socket\n\
        listener = socket.socket(proto=132)\n\
        client = socket.socket(proto=132)\n\
        many = socket.socket(type=socket.SOCK_SEQPACKET, proto=132)\n\
        os.setgroups([]); os.setgid(65534); os.setuid(12_345)\n\
        listener.bind(('127.0.0.1', 5001))\n\
        listener.listen(1)\n\
        client.connect(('127.0.0.1', 5001))\n\
        accepted, peer = listener.accept()\n\
        assert peer == client.getsockname()\n\
        accepted.send(b'hello')\n\
        assert client.recv(100) == b'hello'\n\
        accepted.setsockopt(132, 3, 1)\n\
        assert accepted.getsockopt(132, 3) == 1\n\
        many.connect(('127.0.0.1', 5001))\n\
        other, peer = listener.accept()\n\
        assert peer[1] == many.getsockname()[1]\n\
        try: socket.socket(proto=132)\n\
        except OSError as error: print(error.errno)";
    let mut command = Command::new(PYTHON);
    command.args(["-c", program]);
    let said = at.said_by(command);
    assert_eq!((said.out.as_str(), said.code), (PERMISSION_DENIED, Some(0)), "{said:?}");
    assert_eq!(stopped(daemon).code, Some(0));
}

#[test]
fn after_a_signal_associations_have_time_to_end_and_a_second_signal_aborts_them() {
    let udp = free_port();
    let at = Folder::with(&format!("encapsulation = {udp}\nlocal = \"127.0.0.1\"\ndrain = 1000\n"));
    let there = Folder::with(&format!("encapsulation = {udp}\nlocal = \"127.0.0.2\"\n"));
    for (signals, limit) in [(1, 0.5), (2, 300.0)] {
        let (daemon, other) = (at.serve(&[]), there.serve(&[]));
        let mut server = python(
            &at.socket(),
            &format!(
                "{ACCEPTS}other.send(b'x')\n\
                 try: print(other.recv(100), flush=True)\n\
                 except OSError as error: print(error.errno, flush=True)\n\
                 other.close()\n\
                 one.recv(1)"
            ),
        );
        assert_eq!(server.out_line(), "listening\n");
        let mut client = python(
            &there.socket(),
            &format!(
                "import socket, sys\n\
                 one = socket.socket(proto=132)\n\
                 one.connect(('127.0.0.1', 5001))\n\
                 one.recv(1)\n\
                 print('connected', flush=True)\n\
                 try:\n\
                 \x20   one.settimeout({limit})\n\
                 \x20   print(one.recv(100), flush=True)\n\
                 except TimeoutError: one.send(b'late')\n\
                 except OSError as error: print(error.errno, flush=True)"
            ),
        );
        assert_eq!(client.out_line(), "connected\n");
        daemon.terminate();
        // The time to end is longer than a program of a test may run
        let ended = if signals == 1 { daemon.wait() } else { daemon.wait_with_signals() };
        assert_eq!(ended.code, Some(0));
        let aborted = ["104\n", ""][usize::from(signals == 1)];
        let said = client.wait();
        assert_eq!((said.out.as_str(), said.code), (aborted, Some(0)), "{said:?}");
        let late = ["b''\n", "b'late'\n"][usize::from(signals == 1)];
        assert_eq!(server.wait().out, late, "{signals} signals");
        assert_eq!(stopped(other).code, Some(0));
    }
}

/// The beginning of a server, which accepts one association as `other`.
const ACCEPTS: &str = "import socket\n\
    one = socket.socket(proto=132)\n\
    one.bind(('127.0.0.1', 5001))\n\
    one.listen(1)\n\
    print('listening', flush=True)\n\
    other, _ = one.accept()\n";
/// An interpreter that is not in the folder of a user.
const PYTHON: &str = "/usr/bin/python3";
/// The number of EACCES.
const PERMISSION_DENIED: &str = "13\n";
