//! Successful and interrupted file transfers.

use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use manypath_net::Message;
use tempfile::{TempDir, tempdir};

use crate::peer::{builder, call};
use crate::process::{PATIENCE, Process, Said, names, receiver, run, sender};

fn file(folder: &TempDir, name: &str, length: usize) -> (PathBuf, Vec<u8>) {
    let bytes: Vec<u8> = (0..length).map(|i| ((i * 31) ^ (i >> 7)) as u8).collect();
    let path = folder.path().join(name);
    fs::write(&path, &bytes).unwrap();
    (path, bytes)
}

/// A receiver and a sender of an endless file whose transfer has begun, and the folder of that file.
fn under_way(into: &Path, options: &[&str]) -> (Process, Process, TempDir) {
    let from = tempdir().unwrap();
    let path = endless(&from);
    let (receiver, port) = receiver(into, options);
    let sending = Process::start(sender(&path, &port));
    until_begun(into);
    (receiver, sending, from)
}

#[test]
fn a_file_arrives_over_two_paths_as_it_was() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let (path, bytes) = file(&from, "song of löwe.bin", 20_000_003);
    let (receiver, port) = receiver(into.path(), &[]);
    let sent = run(sender(&path, &port).into_iter().chain(["--streams", "4", "--cc", "newreno"]));
    assert_eq!((sent.code, sent.err.as_str()), (Some(0), ""), "{sent:?}");
    let received = receiver.wait();
    assert_eq!((received.code, received.err.as_str()), (Some(0), ""), "{received:?}");
    for said in [&sent.out, &received.out] {
        assert!(said.contains("verified, 20.0 MB in "), "{said}");
        assert!(said.contains("127.0.0.12"), "{said}");
        assert!(!said.contains(" 0 %"), "both paths carried data: {said}");
    }
    assert!(fs::read(into.path().join("song of löwe.bin")).unwrap() == bytes);
    assert_eq!(names(into.path()), ["song of löwe.bin"]);
}

/// The first addresses have sockets that do not answer.
#[test]
fn a_receiver_at_the_last_of_many_addresses_is_found() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let (path, bytes) = file(&from, "far", 3000);
    let (receiver, port) = receiver(into.path(), &[]);
    let mute: Vec<_> = (61..=66).map(|last| format!("127.0.0.{last}")).collect();
    let number: u16 = port.parse().unwrap();
    let bind = |address: &String| UdpSocket::bind((address.as_str(), number)).unwrap();
    let _sockets: Vec<_> = mute.iter().map(bind).collect();
    let to = format!("{},127.0.0.11", mute.join(","));
    let path = path.to_str().unwrap();
    let sent = run(["send", path, "--bind", "127.0.0.1", "--to", &to, "--udp", &port]);
    assert_eq!((sent.code, sent.err.as_str()), (Some(0), ""), "{sent:?}");
    assert_eq!(receiver.wait().code, Some(0));
    assert!(fs::read(into.path().join("far")).unwrap() == bytes);
}

#[test]
fn a_file_arrives_without_udp() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let (path, bytes) = file(&from, "raw", 3_000_000);
    let folder = into.path().to_str().unwrap();
    let bind = "127.0.0.13,::1";
    let words = ["receive", "--raw", "--bind", bind, "--port", "7", "--into", folder];
    let mut receiver = Process::start(words);
    let line = receiver.line();
    if line != "waiting on 127.0.0.13,::1, SCTP port 7, directly in IP\n" {
        let refused = receiver.wait();
        assert!(
            line.contains("no rights for raw IP") || line.contains("kernel's own SCTP"),
            "{line}"
        );
        assert_eq!(refused.code, Some(2));
        eprintln!("not run: {line}");
        return;
    }
    let path = path.to_str().unwrap();
    let sent = run(["send", path, "--raw", "--to", bind, "--bind", "127.0.0.3,::1", "--port", "7"]);
    assert_eq!((sent.code, sent.err.as_str()), (Some(0), ""), "{sent:?}");
    assert_eq!(receiver.wait().code, Some(0));
    assert!(fs::read(into.path().join("raw")).unwrap() == bytes);
}

#[test]
fn files_of_any_size_arrive_one_after_the_other() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let (receiver, port) = receiver(into.path(), &["--keep"]);
    for length in [0, 1, 65_535, 65_536, 65_537] {
        let name = format!("file{length}");
        let (path, bytes) = file(&from, &name, length);
        let sent = run(sender(&path, &port));
        assert_eq!(sent.code, Some(0), "{sent:?}");
        assert!(fs::read(into.path().join(&name)).unwrap() == bytes);
    }
    // A failed transfer does not end the receiver
    let (path, _) = file(&from, "file1", 1);
    assert_eq!(run(sender(&path, &port)).code, Some(1));
    receiver.terminate();
    let received = receiver.wait();
    assert_eq!(received.code, Some(0), "{received:?}");
    assert!(received.err.ends_with("exists\n"), "{received:?}");
}

/// The temporary file's name is longer than the file's, and the file system supports names of 255 bytes.
#[test]
fn a_file_with_the_longest_name_arrives() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let (receiver, port) = receiver(into.path(), &[]);
    let name = format!("x{}", "ö".repeat(127));
    let (path, bytes) = file(&from, &name, 10);
    let sent = run(sender(&path, &port));
    assert_eq!((sent.code, sent.err.as_str()), (Some(0), ""), "{sent:?}");
    assert_eq!(receiver.wait().code, Some(0));
    assert!(fs::read(into.path().join(&name)).unwrap() == bytes);
    assert_eq!(names(into.path()), [name]);
}

#[test]
fn a_file_that_exists_is_replaced_only_on_request() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let (path, bytes) = file(&from, "file", 1000);
    fs::write(into.path().join("file"), "old").unwrap();
    let (refusing, port) = receiver(into.path(), &[]);
    let sent = run(sender(&path, &port));
    let target = into.path().join("file");
    let text = "error: the receiver: file: exists\n";
    assert_eq!((sent.code, sent.err.as_str()), (Some(1), text));
    let received = refusing.wait();
    let text = format!("error: {}: exists\n", target.display());
    assert_eq!((received.code, received.err), (Some(1), text));
    assert_eq!(fs::read(&target).unwrap(), b"old");
    let (replacing, port) = receiver(into.path(), &["--overwrite"]);
    assert_eq!(run(sender(&path, &port)).code, Some(0));
    assert_eq!(replacing.wait().code, Some(0));
    assert!(fs::read(&target).unwrap() == bytes);
}

#[test]
fn an_interrupted_receiver_reports_it_and_leaves_no_files() {
    for options in [&[][..], &["--keep"]] {
        let into = tempdir().unwrap();
        let (receiver, sending, _from) = under_way(into.path(), options);
        receiver.terminate();
        let received = receiver.wait();
        assert_eq!((received.code, received.err.as_str()), (Some(130), "error: interrupted\n"));
        let sent = sending.wait();
        let text = "error: the receiver: interrupted\n";
        assert_eq!((sent.code, sent.err.as_str()), (Some(1), text));
        assert!(names(into.path()).is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_peer_does_not_block_a_receiver() {
    let begun = Instant::now();
    loop {
        let into = tempdir().unwrap();
        let (receiver, port) = receiver(into.path(), &[]);
        let (_endpoint, association) = call(builder(0), 11, port.parse().unwrap()).await;
        let told = association.receive().await.unwrap().expect("it says why");
        let silence = Instant::now();
        let text = "the peer said nothing for 20 s";
        assert!(told.payload.ends_with(text.as_bytes()), "{told:?}");
        let received = tokio::task::spawn_blocking(move || receiver.wait()).await.unwrap();
        assert_eq!((received.code, received.err), (Some(1), format!("error: {text}\n")));
        let waited = silence.elapsed();
        assert!(association.receive().await.unwrap().is_none(), "it ended in order");
        // The peer does not end the association, for which the receiver would wait 20 s more. So does one that stands
        // still, but hardly each time
        if waited < Duration::from_secs(20) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "it waits for the end of the association: {waited:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_reports_a_failure_before_the_peer_is_notified() {
    let into = tempdir().unwrap();
    let (mut receiver, port) = receiver(into.path(), &[]);
    let (_endpoint, association) = call(builder(0), 11, port.parse().unwrap()).await;
    association.send(Message::new("no word of a sender")).await.unwrap();
    let reading = tokio::task::spawn_blocking(move || (receiver.line(), receiver));
    let (line, receiver) = reading.await.unwrap();
    assert_eq!(line, "error: the peer is no `manypath-net send` of this version\n");
    // It waits up to 20 seconds for the peer, which ends the association now; then it would give up and abort it
    association.shutdown().await.expect("the receiver waits for it");
    let received = tokio::task::spawn_blocking(move || receiver.wait()).await.unwrap();
    assert_eq!((received.code, received.err.as_str()), (Some(1), ""));
}

/// The messages are defined in `src/bin/manypath-net/protocol.rs`.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_what_was_sent_is_refused() {
    let into = tempdir().unwrap();
    let (receiver, port) = receiver(into.path(), &[]);
    let (_endpoint, association) = call(builder(0), 11, port.parse().unwrap()).await;
    let hash = blake3::hash(b"what was read");
    let hello = [&b"H\x02"[..], &11_u64.to_be_bytes(), b"file"].concat();
    let data = [&b"D"[..], &0_u64.to_be_bytes(), b"what wasn't"].concat();
    let end = [&b"E"[..], hash.as_bytes()].concat();
    association.send(Message::new(hello)).await.unwrap();
    assert_eq!(association.receive().await.unwrap().expect("it is ready").payload, "R");
    association.send(Message::new(data)).await.unwrap();
    association.send(Message::new(end)).await.unwrap();
    let told = association.receive().await.unwrap().expect("it says why");
    assert_eq!(told.payload, "Ffile: is not what was sent");
    association.shutdown().await.unwrap();
    let received = tokio::task::spawn_blocking(move || receiver.wait()).await.unwrap();
    let text = format!("error: {}/file: is not what was sent\n", into.path().display());
    assert_eq!((received.code, received.err), (Some(1), text));
    assert!(names(into.path()).is_empty());
}

#[test]
fn an_interrupted_sender_reports_it_and_the_receiver_leaves_no_files() {
    let into = tempdir().unwrap();
    let (receiver, sending, _from) = under_way(into.path(), &[]);
    sending.terminate();
    let sent = sending.wait();
    assert_eq!((sent.code, sent.err.as_str()), (Some(130), "error: interrupted\n"));
    let received = receiver.wait();
    let text = "error: the peer aborted the association: \"the sender gave up: interrupted\"\n";
    assert_eq!((received.code, received.err.as_str()), (Some(1), text));
    assert!(names(into.path()).is_empty());
}

/// Asserts that a program told that its peer is gone, perhaps after paths that did not answer.
fn assert_notices_a_silent_peer(said: &Said) {
    assert_eq!(said.code, Some(1));
    let lines: Vec<&str> = said.err.lines().collect();
    let (last, paths) = lines.split_last().expect("an error has a line");
    assert_eq!(*last, "error: the peer no longer answers");
    let is_silent = |line: &&str| line.starts_with("path ") && line.ends_with(": does not answer");
    assert!(paths.iter().all(is_silent), "{paths:?}");
}

#[test]
fn a_killed_sender_is_noticed_and_the_receiver_leaves_nothing() {
    let into = tempdir().unwrap();
    let (receiver, mut sending, _from) = under_way(into.path(), &[]);
    sending.kill();
    assert_notices_a_silent_peer(&receiver.wait());
    assert!(names(into.path()).is_empty());
}

#[test]
fn a_killed_receiver_is_noticed() {
    let into = tempdir().unwrap();
    let (mut receiver, sending, _from) = under_way(into.path(), &[]);
    receiver.kill();
    assert_notices_a_silent_peer(&sending.wait());
    // A killed process cannot remove its file, whose name shows what it is
    let left = names(into.path());
    assert!(left.len() == 1 && left[0].starts_with(".endless.") && left[0].ends_with(".part"));
}

#[test]
fn a_full_disk_ends_the_transfer_on_both_sides_and_leaves_nothing() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let Some(_disk) = SmallDisk::mount(into.path()) else {
        eprintln!("not run: only root can mount a small disk");
        return;
    };
    let (path, _) = file(&from, "file", 10_000_000);
    let (receiver, port) = receiver(into.path(), &[]);
    let sent = run(sender(&path, &port));
    let reason = "file: No space left on device (os error 28)\n";
    assert_eq!((sent.code, sent.err), (Some(1), format!("error: the receiver: {reason}")));
    let received = receiver.wait();
    let text = format!("error: {}/{reason}", into.path().display());
    assert_eq!((received.code, received.err), (Some(1), text));
    assert!(names(into.path()).is_empty());
}

#[test]
fn a_peer_receives_the_name_of_a_file_but_not_its_folder() {
    let (from, into) = (tempdir().unwrap(), tempdir().unwrap());
    let (path, _) = file(&from, "file", 1000);
    let (receiver, port) = receiver(into.path(), &[]);
    fs::remove_dir(into.path()).unwrap();
    let sent = run(sender(&path, &port));
    let text = "error: the receiver: file: entity not found\n";
    assert_eq!((sent.code, sent.err.as_str()), (Some(1), text));
    let received = receiver.wait();
    let text = format!("error: {}/file: entity not found\n", into.path().display());
    assert_eq!((received.code, received.err), (Some(1), text));
}

/// A file system of one megabyte, unmounted when the value is dropped.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(at: &'a Path) -> Option<Self> {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=1m", "manypath-test"]).arg(at);
        let done = command.output().is_ok_and(|done| done.status.success());
        done.then_some(Self(at))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// A sparse file of a terabyte.
fn endless(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("endless");
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    path
}

/// Waits until the receiver has written something.
fn until_begun(folder: &Path) {
    let has_begun = || {
        let part = names(folder).into_iter().next()?;
        Some(fs::metadata(folder.join(part)).ok()?.len() > 1_000_000)
    };
    let begun = Instant::now();
    while has_begun() != Some(true) {
        assert!(begun.elapsed() < PATIENCE, "nothing was written within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
