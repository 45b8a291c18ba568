//! The program: exit codes, reports, and removal of everything that it created.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use manypath_emu::Namespace;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::stage::{PATIENCE, document, found, lack, link, own, rules};

/// A document as standard input. Its temporary file is removed.
fn input(document: &Value) -> Stdio {
    let name = document["name"].as_str().expect("a name");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    fs::write(&path, document.to_string()).expect("a file");
    let file = File::open(&path).expect("the same file");
    fs::remove_file(path).expect("the same file");
    Stdio::from(file)
}

pub(crate) fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manypath-emu"));
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(document: &Value, words: &[&str]) -> Output {
    let mut command = program(&["run", "-", "--no-realtime"]);
    command.args(words).stdin(input(document)).output().expect("it starts")
}

/// The program with a document, once its hosts are ready.
fn started(document: &Value) -> Child {
    let child = program(&["run", "-", "--no-realtime"]).stdin(input(document)).spawn();
    let right = format!("{}-right", document["name"].as_str().expect("a name"));
    wait_until(|| Namespace::exists(&right));
    child.expect("it starts")
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "it takes too long");
        sleep(Duration::from_millis(10));
    }
}

/// Whether a host of this process's emulation exists.
fn is_there(name: &str, side: &str) -> bool {
    Namespace::exists(&format!("{}-{side}", own(name)))
}

fn kill(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it runs");
}

#[test]
fn a_wrong_document_exits_with_code_2_and_one_line() {
    let mut wrong = document("emu-wrong", &link(&json!({})));
    wrong["network"]["links"]["there"]["rate"] = json!(0);
    let output = run(&wrong, &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(
        said,
        "error: standard input: `network.links.there.rate` is 0 bit/s, expected more than 0 bit/s\n"
    );
}

#[test]
fn a_full_standard_error_does_not_change_the_exit_code() {
    let mut wrong = document("emu-full", &link(&json!({})));
    wrong["network"]["links"]["there"]["rate"] = json!(0);
    let full = || File::options().write(true).open("/dev/full").expect("Linux has it");
    let mut command = program(&["run", "-", "--no-realtime"]);
    let output = command.stdin(input(&wrong)).stderr(full()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    let output = program(&["clen"]).stderr(full()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_wrong_command_line_exits_with_code_2_and_one_line_with_the_remedy() {
    for (words, right) in [
        (&[][..], "run, clean, calibrate"),
        (&["clen"], "'clean'"),
        (&["frobnicate"], "<run|clean|calibrate>"),
        (&["run"], "<DOCUMENT>"),
        (&["run", "lab.json", "--intervall", "1"], "--interval"),
        (&["run", "lab.json", "--interval", "soon"], "'soon' for '--interval <TIME>'"),
        (&["run", "lab.json", "--interval", "0"], "such as 1 s, from 10 ms to 3600 s"),
        (&["run", "lab.json", "--interval", "-inf"], "such as 1 s, from 10 ms to 3600 s"),
        (&["run", "lab.json", "--interval", "nan"], "such as 1 s, from 10 ms to 3600 s"),
        (&["run", "lab.json", "--interval", "1e300"], "such as 1 s, from 10 ms to 3600 s"),
        (&["run", "lab.json", "--source", ""], "'--source <NAME>'"),
        (&["run", "lab.json", "--link", "there"], "--pcapng <FILE>"),
        (&["clean", "all"], "Usage: manypath-emu clean"),
    ] {
        let output = program(words).output().expect("it starts");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{words:?}: {said}");
        assert!(said.starts_with("error: ") && said.contains(right), "{words:?}: {said}");
    }
    let help = program(&["--help"]).output().expect("it starts");
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8(help.stdout).expect("text").contains("calibrate"));
}

#[test]
fn cleaning_without_root_is_refused_with_the_needed_rights() {
    let mut command = program(&["clean"]);
    if rustix::process::geteuid().is_root() {
        command.uid(UNPRIVILEGED);
    }
    let output = command.output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("run it as root, with sudo\n"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_command_runs_in_the_left_namespace_and_its_exit_code_is_returned() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let report = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("emu-command.jsonl");
    let _ = fs::remove_file(&report);
    let wanted = document("emu-command", &link(&json!({})));
    let options = ["--report", report.to_str().expect("text"), "--"];
    let output = run(&wanted, &[&options[..], &["sh", "-c", "ip -brief address; exit 7"]].concat());
    assert_eq!(output.status.code(), Some(7));
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(said.contains("path") && said.contains("10.0.0.1/24"), "{said}");
    let lines = fs::read_to_string(report).expect("a report");
    let reports: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(reports.first().expect("a line")["event"], "ready");
    assert_eq!(reports[0]["interfaces"][1]["addresses"][0], "10.0.0.2");
    assert_eq!(reports.last().expect("a line")["event"], "end");
    assert!(!is_there("emu-command", "left"));
}

#[test]
fn a_command_that_cannot_be_started_has_the_exit_code_of_shells() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("emu-not-executable");
    fs::write(&file, "").expect("a file");
    for (command, code, said) in [
        ("nosuchcmd", 127, "COMMAND is \"nosuchcmd\": no folder of PATH has this program"),
        (file.to_str().expect("text"), 126, ": it is not executable, expected a program"),
        ("/", 126, "COMMAND is \"/\": it is a folder, expected a program"),
    ] {
        let output = run(&document("emu-nosuch", &link(&json!({}))), &["--", command]);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{error}");
        let lines: Vec<_> = error.lines().filter(|line| !line.starts_with("marked: ")).collect();
        assert!(matches!(lines[..], [line] if line.contains(said)), "{error}");
    }
    assert!(!is_there("emu-nosuch", "left"));
}

#[test]
fn sigterm_removes_everything() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let child = started(&document("emu-sigterm", &link(&json!({}))));
    kill(&child, Signal::TERM);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let last = String::from_utf8(output.stdout).expect("text");
    assert!(last.lines().last().expect("a line").starts_with("{\"event\":\"end\""), "{last}");
    assert!(!is_there("emu-sigterm", "left") && !is_there("emu-sigterm", "right"));
}

#[test]
fn the_program_ends_when_the_reader_closes_its_reports() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let wanted = document("emu-unread", &link(&json!({})));
    // The next report would be written after an hour.
    let words = ["run", "-", "--no-realtime", "--interval", "3600"];
    let mut child = program(&words).stdin(input(&wanted)).spawn().expect("it starts");
    wait_until(|| is_there("emu-unread", "right"));
    drop(child.stdout.take());
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("a child") {
            Some(status) => break status,
            None => assert!(start.elapsed() < PATIENCE, "it goes on unread"),
        }
        sleep(Duration::from_millis(10));
    };
    assert!(status.success());
    assert!(!is_there("emu-unread", "left"));
}

#[test]
fn a_calibration_with_a_closed_pipe_ends_after_its_first_measurement() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let mut child = program(&["calibrate", "--quick"]).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!((output.status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn sigterm_also_ends_the_command() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let wanted = document("emu-sigterm-command", &link(&json!({})));
    let words = ["run", "-", "--no-realtime", "--", "sh", "-c", "echo here; exec sleep 1000"];
    let mut child = program(&words).stdin(input(&wanted)).spawn().expect("it starts");
    child.stdout.as_mut().expect("a pipe").read_exact(&mut [0; 5]).expect("the command runs");
    kill(&child, Signal::TERM);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(128 + 15));
    assert!(!is_there("emu-sigterm-command", "left"));
}

#[test]
fn the_next_emulation_and_clean_remove_leftovers_of_a_killed_one() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let wanted = document("emu-killed", &link(&json!({})));
    let is_gone = || !is_there("emu-killed", "left") && !is_there("emu-killed", "right");
    let leave_namespaces = || {
        let mut child = started(&wanted);
        kill(&child, Signal::KILL);
        child.wait().expect("it ends");
    };
    leave_namespaces();
    assert_eq!(run(&wanted, &["--", "true"]).status.code(), Some(0));
    assert!(is_gone());

    let line = format!("removed namespace {}-left\n", own("emu-killed"));
    clean_removes(&line, leave_namespaces, is_gone);
}

#[test]
fn the_next_emulation_and_clean_remove_routing_rules_of_a_killed_one_in_an_existing_namespace() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let host = Namespace::create(&own("emu-rules-host")).expect("a namespace");
    let before = rules(&host);
    let mut wanted = document("emu-rules", &link(&json!({})));
    wanted["pairs"] = json!({"a": {"paths": ["path"], "left": host.name()}});
    let leave_rules = || {
        let words = ["run", "-", "--no-realtime"];
        let mut child = program(&words).stdin(input(&wanted)).spawn().expect("it starts");
        wait_until(|| rules(&host) != before);
        kill(&child, Signal::KILL);
        child.wait().expect("it ends");
    };
    leave_rules();
    assert_eq!(run(&wanted, &["--", "true"]).status.code(), Some(0));
    assert_eq!(rules(&host), before);

    let line = format!("removed rules in namespace {}\n", host.name());
    clean_removes(&line, leave_rules, || rules(&host) == before);
}

/// Checks that `clean` removes and reports the leftovers of `leave`.
///
/// Another emulation on this machine may remove it first, so there are several attempts.
fn clean_removes(line: &str, leave: impl Fn(), is_gone: impl Fn() -> bool) {
    found(line, || {
        leave();
        let output = program(&["clean"]).output().expect("it starts");
        assert_eq!(output.status.code(), Some(0));
        assert!(is_gone());
        let said = String::from_utf8(output.stdout).expect("text");
        if said.contains(line) { Ok(()) } else { Err(said) }
    });
}

#[test]
fn a_capture_has_every_delivered_packet_of_its_link() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let capture = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("emu-capture.pcapng");
    let options = ["--pcapng", capture.to_str().expect("text"), "--link", "there", "--"];
    // The emulator may stand still for a while before it reads them
    let sent =
        "exec 3<>/dev/udp/10.0.0.2/9; for n in 0 1 2 3 4; do echo number $n >&3; done; sleep 5";
    let wanted = document("emu-capture", &link(&json!({})));
    let output = run(&wanted, &[&options[..], &["bash", "-c", sent]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = fs::read(capture).expect("a capture");
    let count = |text: &[u8]| bytes.windows(text.len()).filter(|part| *part == text).count();
    assert_eq!((count(b"number 0\n"), count(b"there")), (1, 1));
    assert_eq!(count(b"back"), 0, "the other link is not in it");
}

/// The user without rights on Linux.
const UNPRIVILEGED: u32 = 65_534;

#[test]
fn a_run_with_a_stopped_emulator_is_marked() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    // Packets are sent during one second and have a delay of two. The emulator is stopped for four seconds after it has
    // read some of them.
    let sent = "for n in {1..10}; do echo > /dev/udp/10.0.0.2/9; sleep 0.1; done; \
                kill -STOP $PPID; sleep 4; kill -CONT $PPID; sleep 1";
    let document = document("emu-still", &link(&json!({"delay": 2_000_000_000_u64})));
    found("a run whose emulator has read packets before it is stopped", || {
        let output = run(&document, &["--", "bash", "-c", sent]);
        let said = String::from_utf8(output.stderr).expect("text");
        if said.contains(" s late: the emulator stood still\n") { Ok(()) } else { Err(said) }
    });
}
