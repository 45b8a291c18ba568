//! The program with wrong input: one line that names the file or option, and no change of any file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::program::program;
use crate::stage::{document, lack, link, own};

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(own(name));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("a folder");
    folder
}

/// Runs the program to its end in a folder, with a file as standard input.
fn run_in(folder: &Path, words: &[&str], input: &str) -> Output {
    let mut command: Command = program(words);
    command.current_dir(folder).stdin(File::open(folder.join(input)).expect("a file"));
    command.output().expect("it starts")
}

/// The only line on standard error.
fn line(output: &Output, code: i32) -> String {
    let said = String::from_utf8(output.stderr.clone()).expect("text");
    assert_eq!((output.status.code(), said.lines().count()), (Some(code), 1), "{said}");
    said
}

#[test]
fn a_mistake_in_a_document_begins_with_the_name_of_the_file() {
    let folder = folder("emu-named");
    let mut wrong = document("emu-named", &link(&json!({})));
    wrong["network"]["links"]["there"]["rate"] = json!(0);
    fs::write(folder.join("wrong.json"), wrong.to_string()).expect("a file");
    let mistake = "`network.links.there.rate` is 0 bit/s, expected more than 0 bit/s";
    for (words, name) in [
        (&["run", "wrong.json"][..], "wrong.json"),
        (&["run", "-"], "standard input"),
        (&["run", "-", "--source", "lab.toml"], "lab.toml"),
    ] {
        let output = run_in(&folder, words, "wrong.json");
        assert_eq!(line(&output, 2), format!("error: {name}: {mistake}\n"));
    }
}

#[test]
fn a_setting_that_the_kernel_refuses_begins_with_the_name_of_the_file() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let folder = folder("emu-setting");
    let mut wrong = document("emu-setting", &link(&json!({})));
    wrong["pairs"] = json!({"a": {"paths": ["path"], "sysctl": {"net.ipv4.nothing": "1"}}});
    fs::write(folder.join("wrong.json"), wrong.to_string()).expect("a file");
    let words = ["run", "-", "--source", "lab.toml", "--no-realtime"];
    let said = line(&run_in(&folder, &words, "wrong.json"), 2);
    assert!(said.starts_with("error: lab.toml: setting net.ipv4.nothing is \"1\", and"), "{said}");
}

#[test]
fn an_input_that_cannot_be_read_is_named() {
    let folder = folder("emu-unread-input");
    fs::write(folder.join("latin.json"), b"{\"name\": \"\xe9\"}").expect("a file");
    fs::write(folder.join("empty.json"), "").expect("a file");
    for (name, reason) in [
        ("missing.json", "it cannot be read: No such file or directory"),
        ("/", "it is a folder, expected a file with an emulation as JSON"),
        ("latin.json", "line 1 is not UTF-8, expected an emulation as JSON"),
        ("empty.json", "`document`: expected an emulation as JSON: {\"name\": "),
        ("/dev/zero", "it has more than 256 MiB, expected an emulation as JSON"),
    ] {
        let said = line(&run_in(&folder, &["run", name], "empty.json"), 2);
        assert!(said.starts_with(&format!("error: {name}: {reason}")), "{said}");
    }
}

#[test]
fn an_output_is_checked_before_anything_is_written() {
    let folder = folder("emu-outputs");
    let wanted = document("emu-outputs", &link(&json!({})));
    fs::write(folder.join("lab.json"), wanted.to_string()).expect("a file");
    fs::write(folder.join("notes.txt"), "mine").expect("a file");
    let others = "it is there, and manypath did not write it as ";
    for (words, reason) in [
        (["--report", "notes.txt"], format!("`--report` is notes.txt: {others}reports of an emul")),
        (["--pcapng", "notes.txt"], format!("`--pcapng` is notes.txt: {others}a capture: choose")),
        (["--report", "lab.json"], "`--report` is lab.json: it is a file that is read".to_owned()),
        (["--pcapng", "/"], "`--pcapng` is /: it is a folder, expected a file".to_owned()),
        (["--pcapng", "no/x"], "`--pcapng` is no/x: there is no such folder: make".to_owned()),
    ] {
        let words = [&["run", "lab.json"], &words[..], &["--", "true"]].concat();
        let said = line(&run_in(&folder, &words, "lab.json"), 2);
        assert!(said.starts_with(&format!("error: {reason}")), "{said}");
    }
    let words = ["run", "lab.json", "--report", "one", "--pcapng", "one", "--", "true"];
    let said = line(&run_in(&folder, &words, "lab.json"), 2);
    assert!(said.contains("`--pcapng` is one: it is the file of `--report`, too"), "{said}");
    assert_eq!(fs::read(folder.join("notes.txt")).expect("a file"), b"mine");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2, "a new file");
}

#[test]
fn a_mistake_leaves_an_old_capture_and_no_new_file() {
    let folder = folder("emu-old");
    let mut wanted = document("emu-old", &link(&json!({})));
    wanted["pairs"] = json!({"a": {"paths": ["path"], "sysctl": {"net.ipv4.nothing": "1"}}});
    fs::write(folder.join("lab.json"), wanted.to_string()).expect("a file");
    let mut capture = Vec::new();
    manypath_pcapng::Writer::new(&mut capture, "a capture").expect("memory");
    fs::write(folder.join("old.pcapng"), &capture).expect("a file");
    let output = ["--pcapng", "old.pcapng", "--report", "new.jsonl"];
    let mut mistakes = vec![(vec!["--", "no-such-program"], 127)];
    if lack().is_none() {
        mistakes.push((vec!["--", "true"], 2));
        mistakes.push((vec!["--link", "no-such-link", "--", "true"], 2));
    }
    for (more, code) in mistakes {
        let words = [&["run", "lab.json", "--no-realtime"], &output[..], &more].concat();
        let said = line(&run_in(&folder, &words, "lab.json"), code);
        assert_eq!(fs::read(folder.join("old.pcapng")).expect("a file"), capture, "{said}");
        assert!(!folder.join("new.jsonl").exists(), "{said}");
    }
}

#[test]
fn reports_and_a_capture_on_a_full_disk_are_a_failure() {
    if let Some(lack) = lack() {
        return println!("skipped: {lack}");
    }
    let folder = folder("emu-full-disk");
    let wanted = document("emu-full-disk", &link(&json!({})));
    fs::write(folder.join("lab.json"), wanted.to_string()).expect("a file");
    let mistake = "it cannot be written: No space left on device (os error 28)";
    for option in ["--report", "--pcapng"] {
        let words = ["run", "lab.json", "--no-realtime", option, "/dev/full", "--", "true"];
        let output = run_in(&folder, &words, "lab.json");
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(1), "{said}");
        let line = format!("error: `{option}` is /dev/full: {mistake}");
        assert_eq!(said.lines().last(), Some(line.as_str()), "{said}");
    }
    let full = File::options().write(true).open("/dev/full").expect("Linux has it");
    let mut command = program(&["run", "lab.json", "--no-realtime"]);
    let output = command.current_dir(&folder).stdout(Stdio::from(full)).output();
    let said = line(&output.expect("it starts"), 1);
    assert_eq!(said, format!("error: standard output: {mistake}\n"));
}
