//! Wrong input is answered in one line, with exit code 2.

use std::net::UdpSocket;

use tempfile::tempdir;

use crate::process::{free_port, run};

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let folder = tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let missing = format!("{folder}/missing");
    let missing_folder = format!("{missing}/capture.pcapng");
    let to = ["--to", "127.0.0.11"];
    let cases: &[(&[&str], &str)] = &[
        (&["send", &missing, to[0], to[1]], "missing: No such file or directory (os error 2)"),
        (&["send", folder, to[0], to[1]], ": is no regular file"),
        (&["send", &missing], "<FILE>"),
        (&["send", &missing, "--to", "nowhere"], "invalid value 'nowhere' for '--to"),
        (&["send", "/etc/hostname", to[0], to[1], "--cc", "fast"], "`congestion` is \"fast\""),
        (
            &["send", "/etc/hostname", to[0], to[1], "--bind", "203.0.113.7"],
            "203.0.113.7 is not an address of this machine",
        ),
        (
            &["send", "/etc/hostname", to[0], to[1], "--bind", "::1"],
            "127.0.0.11 cannot be reached from any local address of the endpoint",
        ),
        (&["receive", "--into", &missing], "missing: is no folder"),
        (&["receive", "--port", "0"], "invalid value '0' for '--port"),
        (&["perf"], "--listen"),
        (&["perf", "--listen", to[0], to[1]], "cannot be used with"),
        (&["perf", "--listen", "--time", "1"], "cannot be used with"),
        (&["perf", to[0], to[1], "--once"], "cannot be used with"),
        (&["perf", to[0], to[1], "--time", "0"], "`time` is 0, expected seconds, more than 0"),
        (&["perf", to[0], to[1], "--time", "nan"], "`time` is NaN, expected seconds"),
        (&["perf", to[0], to[1], "--time", "1", "--bytes", "1"], "cannot be used with"),
        (&["perf", to[0], to[1], "--bytes", "0"], "`bytes` is 0, expected at least 1"),
        (&["perf", to[0], to[1], "--bytes", "1M"], "invalid value '1M' for '--bytes"),
        (&["perf", to[0], to[1], "--size", "0"], "`size` is 0, expected from 1 to 1048576"),
        (&["perf", to[0], to[1], "--streams", "1024"], "1024 is not in 1..=1023"),
        (&["perf", to[0], to[1], "--reverse", "--both"], "cannot be used with"),
        (&["perf", to[0], to[1], "--interval", "0"], "expected seconds, from 0.05 to 3600"),
        (&["perf", to[0], to[1], "--cc", "fast"], "`congestion` is \"fast\""),
        (&["perf", "--listen", "--metrics", "here"], "expected a port, or an address and a port"),
        (&["perf", "--listen", "--metrics", "203.0.113.7:1"], "`--metrics` is 203.0.113.7:1"),
        (&["perf", "--listen", "--pcapng", &missing_folder], "`--pcapng` is "),
        (&["listen", "--output", &missing], "missing: is no folder"),
        (&["listen", "--limit", "0"], "0 is not in 1..=65536"),
        (&["listen", "--events", &missing_folder], "`--events` is "),
        (&["reserve"], "unrecognized subcommand 'reserve'"),
        (&[], "requires a subcommand"),
    ];
    for (words, text) in cases {
        let said = run(*words);
        assert_eq!(said.code, Some(2), "{words:?}: {said:?}");
        assert!(said.err.contains(text), "{words:?}: {said:?}");
        assert_eq!(said.err.matches('\n').count(), 1, "{words:?}: {said:?}");
        assert!(said.err.starts_with("error: ") || said.err.starts_with("Usage"), "{said:?}");
    }
}

#[test]
fn a_port_in_use_is_named() {
    let port = free_port();
    let _taken = UdpSocket::bind(("127.0.0.11", port)).unwrap();
    let port = port.to_string();
    let said = run(["receive", "--bind", "127.0.0.11", "--udp", &port]);
    let text = format!("error: UDP port {port} of 127.0.0.11 is in use by another program\n");
    assert_eq!((said.code, said.err), (Some(2), text));
}

#[test]
fn a_receiver_that_is_not_there_is_said() {
    let silent = UdpSocket::bind(("127.0.0.11", 0)).unwrap();
    let port = silent.local_addr().unwrap().port().to_string();
    let words = ["send", "/etc/hostname", "--to", "127.0.0.11", "--udp", &port];
    let said = run(words);
    let text = "error: the peer did not answer in time\n";
    assert_eq!((said.code, said.err.as_str()), (Some(1), text));
}
