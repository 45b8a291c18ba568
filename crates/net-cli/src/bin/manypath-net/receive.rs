//! `manypath-net receive`: receives files.

use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use manypath_net::{Association, Message};
use manypath_program::takes_files;
use tempfile::NamedTempFile;
use tokio::sync::mpsc;
use tokio::task::{JoinSet, spawn_blocking};

use crate::addresses::{builder, shares, tell_waiting};
use crate::arguments::Receive;
use crate::failure::Failure;
use crate::output::say;
use crate::patience::{first, telling, while_heard};
use crate::progress::Progress;
use crate::protocol::Word;
use crate::silence::telling_silence;
use crate::stop::Stop;
use crate::watch::Watch;

/// Receives one file, or files until the program is stopped.
pub(crate) async fn run(receive: Receive, mut stop: Stop, watch: &Watch) -> Result<(), Failure> {
    let into = receive.into;
    takes_files("--into", &into)?;
    let builder = builder(&receive.local, receive.udp).nodelay(true).listen(BACKLOG);
    let endpoint = watch.bind(builder, receive.local.port).await?;
    tell_waiting(&endpoint);
    let mut tasks = JoinSet::new();
    let done = loop {
        let accepting = async { Ok(endpoint.accept().await?) };
        let association = match stop.or(accepting).await {
            Ok(association) => association,
            // Ctrl-C is the normal end of a receiver with `--keep`
            Err(failure) if receive.keep && failure.is_interruption() => break Ok(()),
            Err(failure) => break Err(failure),
        };
        let done = serve(association, into.clone(), receive.overwrite, stop.clone());
        if !receive.keep {
            break done.await;
        }
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            // Other failures have been reported
            done.await.is_err_and(|failure| failure.is_interruption())
        });
    };
    let was_interrupted = tasks.join_all().await.contains(&true);
    stop.farewell(endpoint.close()).await;
    if was_interrupted { Err(Failure::interrupted()) } else { done }
}

/// Receives a sender's file, and sends the result to the sender.
async fn serve(
    association: Association,
    into: PathBuf,
    overwrite: bool,
    mut stop: Stop,
) -> Result<(), Failure> {
    let taken = transfer(&association, &into, overwrite);
    let mut done = stop.or(telling_silence(&association, taken)).await;
    let word = match &done {
        Ok(_) => Word::Verified,
        Err(failure) => Word::Failed(failure.for_peer().to_owned()),
    };
    // Fails if the sender is gone
    let _ = association.send(Message::new(word.encode())).await;
    match &mut done {
        Ok(told) => say(told),
        Err(failure) if failure.is_interruption() => {}
        Err(failure) => failure.tell(),
    }
    if done.as_ref().is_err_and(|failure| failure.is_silence) {
        stop.farewell(association.shutdown()).await;
    } else {
        // The sender ends the association after it has received the result
        stop.farewell(association.closed()).await;
    }
    done.map(|_| ())
}

/// Receives one file; returns the message about it.
async fn transfer(
    association: &Association,
    into: &Path,
    overwrite: bool,
) -> Result<String, Failure> {
    let hello = first(word(association)).await?;
    let Word::Hello { length, name } = hello else { return Err(no_sender()) };
    let target = target(into, &name, overwrite)?;
    // The error itself names the temporary file
    let refused = |error: std::io::Error| Failure::file(&target, error.kind());
    let file = temporary(into, &name).map_err(refused)?;
    association.send(Message::new(Word::Ready.encode())).await?;
    let mut progress = Progress::new(&name, length);
    telling(association, take(association, file, &target, length, overwrite, &mut progress))
        .await?;
    Ok(format!(
        "{}: received and verified, {}; {}",
        target.display(),
        progress.summary(length),
        shares(association, |path| path.stats.bytes_received)
    ))
}

/// Receives the contents of a file, verifies them, and renames the file.
async fn take(
    association: &Association,
    file: NamedTempFile,
    target: &Path,
    length: u64,
    overwrite: bool,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let (pieces, incoming) = mpsc::channel(PIECES_AHEAD);
    let writer = spawn_blocking({
        let target = target.to_owned();
        move || write(file, &target, incoming)
    });
    let collected = collect(association, length, pieces, progress).await;
    let written = writer.await.map_err(|error| Failure::broken(error.to_string()))?;
    // A failure of writing is the cause of a stopped collection
    let (file, hash) = match (written, collected) {
        (Ok(file), Ok(hash)) => (file, hash),
        (Err(failure), _) | (_, Err(failure)) => return Err(failure),
    };
    spawn_blocking({
        let target = target.to_owned();
        move || complete(file, &target, length, hash, overwrite)
    })
    .await
    .map_err(|error| Failure::broken(error.to_string()))?
}

/// The next message of the sender.
async fn word(association: &Association) -> Result<Word, Failure> {
    let message = association.receive().await?;
    let message = message.ok_or_else(|| Failure::broken("the sender ended the transfer"))?;
    Word::decode(message.payload).ok_or_else(no_sender)
}

fn no_sender() -> Failure {
    Failure::broken("the peer is no `manypath-net send` of this version")
}

/// The path of the file. A sender cannot name folders, hidden files, existing files, or invalid names.
fn target(into: &Path, name: &str, overwrite: bool) -> Result<PathBuf, Failure> {
    let is_plain = !name.is_empty()
        && !name.starts_with('.')
        && !name.chars().any(|letter| letter == '/' || letter.is_control());
    if !is_plain {
        return Err(Failure::broken(format!("the name \"{}\" is refused", name.escape_debug())));
    }
    let target = into.join(name);
    match target.symlink_metadata() {
        Ok(_) if !overwrite => Err(Failure::file(&target, "exists")),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::file(&target, &error)),
        _ => Ok(target),
    }
}

/// A new file beside the target; it is removed unless it is renamed to the target.
fn temporary(into: &Path, name: &str) -> std::io::Result<NamedTempFile> {
    // The name of the temporary file is longer than that of the target
    let length = (0..=MOST_NAME.min(name.len())).rev().find(|&at| name.is_char_boundary(at));
    let name = &name[..length.unwrap_or(0)];
    tempfile::Builder::new()
        .prefix(&format!(".{name}."))
        .suffix(".part")
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(into)
}

/// Passes pieces to the writer until the file is complete; returns its hash.
async fn collect(
    association: &Association,
    length: u64,
    pieces: mpsc::Sender<(u64, Bytes)>,
    progress: &mut Progress,
) -> Result<[u8; 32], Failure> {
    let (mut received, mut hash) = (0, None);
    loop {
        if let Some(hash) = hash.filter(|_| received == length) {
            return Ok(hash);
        }
        match while_heard(association, word(association)).await? {
            Word::Data { offset, bytes } => {
                received += bytes.len() as u64;
                let end = offset.checked_add(bytes.len() as u64);
                if received > length || end.is_none_or(|end| end > length) {
                    return Err(Failure::broken("the sender sent more than it announced"));
                }
                if pieces.send((offset, bytes)).await.is_err() {
                    return Err(Failure::broken("the file cannot be written"));
                }
                progress.show(received);
            }
            Word::End { hash: of_sender } => hash = Some(of_sender),
            _ => return Err(no_sender()),
        }
    }
}

/// Writes pieces at their offsets.
fn write(
    file: NamedTempFile,
    target: &Path,
    mut pieces: mpsc::Receiver<(u64, Bytes)>,
) -> Result<NamedTempFile, Failure> {
    while let Some((offset, bytes)) = pieces.blocking_recv() {
        let written = file.as_file().write_all_at(&bytes, offset);
        written.map_err(|error| Failure::file(target, &error))?;
    }
    Ok(file)
}

/// Reads the file again, compares its hash, and renames it.
fn complete(
    mut file: NamedTempFile,
    target: &Path,
    length: u64,
    hash: [u8; 32],
    overwrite: bool,
) -> Result<(), Failure> {
    let refused = |error: std::io::Error| Failure::file(target, &error);
    file.as_file_mut().flush().map_err(refused)?;
    let found = hash_of(file.as_file_mut()).map_err(refused)?;
    if found != (length, hash.into()) {
        return Err(Failure::file(target, "is not what was sent"));
    }
    file.as_file().sync_all().map_err(refused)?;
    let persisted = if overwrite { file.persist(target) } else { file.persist_noclobber(target) };
    persisted.map_err(|error| refused(error.error))?;
    Ok(())
}

/// Length and hash of a file.
fn hash_of(file: &mut File) -> std::io::Result<(u64, blake3::Hash)> {
    file.seek(SeekFrom::Start(0))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok((hasher.count(), hasher.finalize()))
}

/// Largest part of the target's name in the name of a temporary file, in bytes; the system limits names to 255.
const MOST_NAME: usize = 240;
/// Largest number of senders that wait while one is served.
const BACKLOG: usize = 16;
/// Largest number of pieces that wait to be written.
const PIECES_AHEAD: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_cannot_name_other_folders_or_existing_files() {
        let folder = tempfile::tempdir().unwrap();
        let target = |name: &str, overwrite| {
            target(folder.path(), name, overwrite).map_err(|failure| failure.message)
        };
        for name in ["", ".", "..", ".profile", "a/b", "/etc/passwd", "a\nb", "\u{1b}[2J"] {
            assert!(target(name, true).unwrap_err().ends_with("is refused"), "{name:?}");
        }
        assert_eq!(target("a b.txt", false).unwrap(), folder.path().join("a b.txt"));
        std::fs::write(folder.path().join("a b.txt"), "x").unwrap();
        assert!(target("a b.txt", false).unwrap_err().ends_with("a b.txt: exists"));
        assert!(target("a b.txt", true).is_ok());
        assert!(target(&"x".repeat(255), false).is_ok());
        assert!(target(&"x".repeat(256), true).unwrap_err().contains("too long"));
    }
}
