//! Wrong input is answered in one line, with exit code 2.

use std::fs::File;
use std::net::UdpSocket;
use std::process::Command;

use tempfile::tempdir;

use crate::perf::{client, server};
use crate::process::{Process, free_port, names, receiver, run};

/// Each command line ends with code 2 and one line that contains a text.
fn refuses(cases: &[(&[&str], &str)]) {
    for (words, text) in cases {
        let said = run(*words);
        assert_eq!(said.code, Some(2), "{words:?}: {said:?}");
        assert!(said.err.contains(text), "{words:?}: {said:?}");
        assert_eq!(said.err.matches('\n').count(), 1, "{words:?}: {said:?}");
        assert!(said.err.starts_with("error: ") || said.err.starts_with("Usage"), "{said:?}");
    }
}

#[test]
fn wrong_input_is_reported_in_one_line() {
    let folder = tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let missing = format!("{folder}/missing");
    let missing_folder = format!("{missing}/capture.pcapng");
    let to = ["--to", "127.0.0.11"];
    let many = (1..=17).map(|last| format!("127.0.0.{last}")).collect::<Vec<_>>().join(",");
    refuses(&[
        (
            &["send", &missing, to[0], to[1]],
            "missing: it cannot be read: No such file or directory",
        ),
        (&["send", folder, to[0], to[1]], ": it is a folder, expected a regular file"),
        (&["send", "/dev/zero", to[0], to[1]], "/dev/zero: it is a device, expected a regular"),
        (
            &["send", "/etc/hostname", "--to", "127.0.0.11,::1,::ffff:127.0.0.11"],
            "error: `--to` has 127.0.0.11 twice, expected each address once\n",
        ),
        (
            &["listen", "--bind", "127.0.0.11", "--bind", "127.0.0.11%lo"],
            "error: `--bind` has 127.0.0.11 twice, expected each address once\n",
        ),
        (&["serve", "--socket", "s", "--local", "::1,::1"], "error: `--local` has ::1 twice"),
        (&["send", &missing], "<FILE>"),
        (
            &["send", &missing, "--to", "no where"],
            "expected an IPv4 or IPv6 address or the name of",
        ),
        (&["send", &missing, "--to", "localhost:5001"], "the name of a host, without a port"),
        (&["send", &missing, "--to", "fe80::1%eth0"], "`--bind` names the interface"),
        (
            &["send", "/etc/hostname", to[0], to[1], "--cc", "cmt-rpv"],
            "error: `--cc` is \"cmt-rpv\", expected an existing congestion control; did you mean \"cmt-rpv1\"?\n",
        ),
        (&["listen", "--cc", "x"], "expected an existing congestion control; known: newreno, "),
        (
            &["listen", "--cc", "bmc:x=1"],
            "`--cc` is \"bmc:x=1\", expected an existing parameter of bmc; ",
        ),
        (
            &["listen", "--cc", "weighted-aimd:weight=x"],
            "expected right parameters: weighted-aimd:weight is",
        ),
        (
            &["send", "/etc/hostname", to[0], to[1], "--bind", "203.0.113.7"],
            "`--bind` is 203.0.113.7, expected an address of this machine",
        ),
        (
            &["send", "/etc/hostname", to[0], to[1], "--bind", "::1"],
            "127.0.0.11 cannot be reached from any local address of the endpoint",
        ),
        (&["listen", "--bind", &many], "`--bind` is 17 addresses, expected at most 16"),
        (&["receive", "--into", &missing], "missing: there is no such folder: make it first"),
        (&["receive", "--into", "/etc/hostname"], "/etc/hostname: it is no folder: name one"),
        (&["receive", "--into", "/proc"], "`--into` is /proc: no file can be made there"),
        (&["receive", "--port", "0"], "expected a whole number, from 1 to 65535"),
        (&["listen", "--output", &missing], "missing: there is no such folder: make it first"),
        (&["listen", "--limit", "0"], "expected a whole number, from 1 to 65536"),
        (&["listen", "--events", &missing_folder], "there is no such folder: make it first"),
        (&["listen", "--events", folder], "it is a folder, expected a file"),
        (&["listen", "--bind", "127.0.0.1%none"], "`--bind` is on interface \"none\", expected"),
        (&["reserve"], "unrecognized subcommand 'reserve'"),
        (&[], "requires a subcommand"),
    ]);
}

#[test]
fn a_mistake_in_a_test_is_reported_in_one_line() {
    let folder = tempdir().unwrap();
    let missing = folder.path().join("missing");
    let missing_folder = missing.join("capture.pcapng");
    let scenario = folder.path().join("s.toml");
    std::fs::write(&scenario, "measure = \"5 s\"\n").unwrap();
    let flow = folder.path().join("flow.json");
    std::fs::write(&flow, "{\"transport\": \"sctp\"}").unwrap();
    let [missing, missing_folder, scenario, flow] =
        [&missing, &missing_folder, &scenario, &flow].map(|it| it.to_str().unwrap());
    let to = ["--to", "127.0.0.11"];
    let many = (1..=17).map(|last| format!("127.0.0.{last}")).collect::<Vec<_>>().join(",");
    refuses(&[
        (&["perf", "--to", &many], "`--to` is 17 addresses, expected at most 16"),
        (&["perf"], "error: `--to` and `--listen` are missing, expected `--to` with the addresses"),
        (&["perf", "--once", "--json"], "error: `--to` and `--listen` are missing, expected"),
        (&["perf", "--listen", to[0], to[1]], "cannot be used with"),
        (&["perf", "--listen", "--time", "1"], "cannot be used with"),
        (&["perf", to[0], to[1], "--once"], "cannot be used with"),
        (&["perf", to[0], to[1], "--time", "0"], "invalid value '0' for '--time <TIME>'"),
        (
            &["perf", to[0], to[1], "--time", "-1"],
            "expected a time such as 10 s, more than 0 and at most 86400 s",
        ),
        (
            &["perf", to[0], to[1], "--time", "nan"],
            "expected a time such as 10 s, more than 0 and at most 86400 s",
        ),
        (&["perf", to[0], to[1], "--udp", "0"], "`--udp` is 0, expected the UDP port of the peer"),
        (&["perf", to[0], to[1], "--udp", "x"], "expected a whole number, from 0 to 65535"),
        (&["perf", to[0], to[1], "--settings", "/dev/zero"], "it has more than 1 MiB"),
        (
            &["perf", to[0], to[1], "--settings", missing],
            "missing: it cannot be read: No such file",
        ),
        (&["perf", to[0], to[1], "--settings", "/"], "`--settings` is /: it is a folder, expected"),
        (&["perf", to[0], to[1], "--time", "-inf"], "invalid value '-inf' for '--time <TIME>'"),
        (
            &["perf", to[0], to[1], "--settings", scenario],
            "s.toml: expected one flow of a scenario as JSON: {\"transport\": \"sctp\", \"cc\": ",
        ),
        (
            &["perf", to[0], to[1], "--udp", "9", "--settings", flow],
            "flow.json has no `\"udp_encapsulation\": true`: add it, or leave `--udp` out",
        ),
        (&["perf", "--to", "9899"], "expected an IPv4 or IPv6 address or the name of a host"),
        (&["perf", "--to", "224.0.0.1"], "for '--to <HOST,...>': expected a unicast address"),
        (&["perf", to[0], to[1], "--time", "1", "--bytes", "1"], "cannot be used with"),
        (&["perf", to[0], to[1], "--bytes", "0"], "expected a whole number, from 1 to 184467"),
        (
            &["perf", to[0], to[1], "--bytes", "18446744073709551616"],
            "'18446744073709551616' for '--bytes <COUNT>': expected a whole number, from 1 to \
             18446744073709551615",
        ),
        (&["perf", to[0], to[1], "--bytes", "1M"], "invalid value '1M' for '--bytes"),
        (&["perf", to[0], to[1], "--size", "0"], "expected a whole number, from 1 to 1048576"),
        (&["perf", to[0], to[1], "--size", "-1"], "expected a whole number, from 1 to 1048576"),
        (&["perf", to[0], to[1], "--size", "5-0"], "expected a whole number, from 1 to 1048576"),
        (&["perf", to[0], to[1], "--size", "9-8"], "expected the smaller size first: 8-9"),
        (&["perf", to[0], to[1], "--streams", "1024"], "expected a whole number, from 1 to 1023"),
        (&["perf", to[0], to[1], "--reverse", "--both"], "cannot be used with"),
        (&["perf", to[0], to[1], "--interval", "0"], "such as 1 s, from 50 ms to 3600 s"),
        (&["perf", to[0], to[1], "--cc", "\u{1b}[2J"], "`--cc` is \"\\u{1b}[2J\", expected"),
        (&["perf", "--listen", "--metrics", "here"], "expected a port, or an address and a port"),
        (&["perf", "--listen", "--metrics", "203.0.113.7:1"], "`--metrics` is 203.0.113.7:1"),
        (&["perf", "--listen", "--pcapng", missing_folder], "`--pcapng` is "),
    ]);
}

#[test]
fn addresses_of_the_machine_that_are_not_sent_to_peers_are_counted() {
    let add = |last| format!("ip address add 10.83.0.{last}/32 dev lo");
    let addresses: Vec<_> = (1..=15).map(add).collect();
    // 127.0.0.1 and ::1 count, too
    for (more, says) in [(14, false), (15, true)] {
        let words = "receive --udp 0";
        let Some(mut receiver) = Process::apart(&addresses[..more], words) else { return };
        assert!(receiver.line().starts_with("waiting on 127.0.0.1,"));
        if says {
            let line = "warning: peers learn 16 of these 17 addresses, no more: `--bind` chooses\n";
            assert_eq!(receiver.line(), line);
        }
        receiver.until_signals_are_blocked();
        receiver.terminate();
        assert_eq!(receiver.wait().err, "error: interrupted\n");
    }
}

/// Only the program sees the replaced `/sys/module` and `/proc/net`.
#[test]
fn the_sctp_of_the_kernel_is_detected_and_named() {
    for (prepare, code) in [
        (&["mount -t tmpfs none /sys/module", "mkdir /sys/module/sctp"][..], 2),
        (&["mount -t tmpfs none /proc/sys", "mkdir /proc/sys/sctp"], 130),
    ] {
        let prepare: Vec<_> = prepare.iter().map(|&command| command.to_owned()).collect();
        let words = "receive --raw --bind 127.0.0.1";
        let Some(mut receiver) = Process::apart(&prepare, words) else { return };
        let line = receiver.line();
        if code == 2 {
            let text = "error: the kernel's own SCTP is loaded and answers raw packets: unload the module `sctp`, or use \
                        UDP encapsulation\n";
            assert_eq!(line, text);
        } else {
            assert!(line.starts_with("waiting on 127.0.0.1"), "{line}");
            receiver.until_signals_are_blocked();
            receiver.terminate();
        }
        assert_eq!(receiver.wait().code, Some(code));
    }
}

#[test]
fn a_port_in_use_is_named() {
    let port = free_port();
    let _taken = UdpSocket::bind(("127.0.0.11", port)).unwrap();
    let port = port.to_string();
    let said = run(["receive", "--bind", "127.0.0.11", "--udp", &port]);
    let text = format!(
        "error: `--udp` is {port}, expected a free port: UDP port {port} of 127.0.0.11 is in use by another program\n"
    );
    assert_eq!((said.code, said.err), (Some(2), text));
}

#[test]
fn a_missing_receiver_is_reported() {
    let silent = UdpSocket::bind(("127.0.0.11", 0)).unwrap();
    let port = silent.local_addr().unwrap().port().to_string();
    let words = ["send", "/etc/hostname", "--to", "127.0.0.11", "--udp", &port];
    let said = run(words);
    let text = "error: the peer did not answer in time\n";
    assert_eq!((said.code, said.err.as_str()), (Some(1), text));
}

#[test]
fn a_receiver_on_another_sctp_port_refuses_at_once() {
    let folder = tempdir().unwrap();
    let (_receiver, port) = receiver(folder.path(), &[]);
    let words = ["send", "/etc/hostname", "--to", "127.0.0.11", "--udp", &port, "--port", "5002"];
    let said = run(words);
    // Without an answer the peer would not answer in time
    let text = "error: the peer refused the association\n";
    assert_eq!((said.code, said.err.as_str()), (Some(1), text));
}

#[test]
fn a_failed_write_to_standard_output_is_a_failure() {
    let (server, port) = server(&["--once"]);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_manypath-net"));
    let done = command.args(client(&port, &["--bytes", "1", "--json"])).stdout(full).output();
    let done = done.expect("the program is built");
    let text = "error: standard output: cannot be written: No space left on device (os error 28)\n";
    assert_eq!((done.status.code(), str::from_utf8(&done.stderr).unwrap()), (Some(1), text));
    assert_eq!(server.wait().code, Some(0));
}

#[test]
fn an_output_on_a_full_disk_is_named_with_its_option() {
    for option in ["--pcapng", "--events"] {
        let (server, port) = server(&["--once"]);
        let said = run(client(&port, &["--bytes", "1", option, "/dev/full"]));
        let text = format!(
            "error: `{option}` is /dev/full: it cannot be written: No space left on device (os error 28)\n"
        );
        assert_eq!((said.code, said.err), (Some(1), text));
        assert_eq!(server.wait().code, Some(0));
    }
}

/// Opening a pipe blocks until its other end is opened, which may never happen.
#[test]
fn a_program_that_waits_for_a_pipe_can_be_interrupted() {
    let folder = tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.to_str().unwrap();
    for option in ["--pcapng", "--events", "--settings"] {
        let waiting = Process::start(["perf", "--to", "127.0.0.11", option, pipe]);
        waiting.until_signals_are_blocked();
        waiting.terminate();
        let said = waiting.wait();
        assert_eq!((said.code, said.err.as_str()), (Some(130), "error: interrupted\n"), "{option}");
    }
    let said = run(["send", pipe, "--to", "127.0.0.11"]);
    assert_eq!(
        (said.code, said.err),
        (Some(2), format!("error: {pipe}: it is a pipe, expected a regular file\n"))
    );
}

#[test]
fn a_mistake_leaves_earlier_files_as_they_were() {
    let folder = tempdir().unwrap();
    let files = ["old.pcapng", "old.jsonl"].map(|name| folder.path().join(name));
    let [capture, events] = files.each_ref().map(|file| file.to_str().unwrap());
    let watched = ["--pcapng", capture, "--events", events, "--udp", &free_port().to_string()];
    let run_with = |words: &[&str]| run([words, &watched[..]].concat());
    // No server listens there, which is written to the file
    assert_eq!(run_with(&["perf", "--to", "127.0.0.11"]).code, Some(1));
    let lengths = || files.each_ref().map(|file| std::fs::metadata(file).unwrap().len());
    let before = lengths();
    assert!(before[0] > 100 && before[1] > 100, "{before:?}");
    for words in MISTAKES {
        let said = run_with(words);
        assert_eq!((said.code, lengths()), (Some(2), before), "{words:?}: {said:?}");
    }
}

#[test]
fn a_mistake_leaves_no_new_file() {
    let folder = tempdir().unwrap();
    let files = ["new.pcapng", "new.jsonl"].map(|name| folder.path().join(name));
    let [capture, events] = files.each_ref().map(|file| file.to_str().unwrap());
    let watched = ["--pcapng", capture, "--events", events, "--udp", &free_port().to_string()];
    for words in MISTAKES {
        let said = run([words, &watched[..]].concat());
        assert_eq!((said.code, names(folder.path()).len()), (Some(2), 0), "{words:?}: {said:?}");
    }
    // The second file cannot be created
    let said = run(["listen", "--pcapng", capture, "--events", "/proc/new.jsonl"]);
    assert_eq!((said.code, names(folder.path()).len()), (Some(2), 0), "{said:?}");
}

/// Mistakes that are detected late.
const MISTAKES: &[&[&str]] = &[
    &["perf", "--to", "127.0.0.11", "--cc", "fast"],
    &["perf", "--listen", "--bind", "203.0.113.7"],
    &["perf", "--listen", "--metrics", "203.0.113.7:1"],
    &["perf", "--to", "127.0.0.11", "--settings", "/missing"],
    &["send", "/missing", "--to", "127.0.0.11"],
    &["receive", "--into", "/missing"],
    &["listen", "--output", "/missing"],
];
