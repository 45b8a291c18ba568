//! `manypath-net send`: sends a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use bytes::Bytes;
use manypath_net::{Association, Message, Peer};
use manypath_program::regular;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::addresses::{builder, shares};
use crate::arguments::Send;
use crate::failure::Failure;
use crate::local::Host;
use crate::output::say;
use crate::patience::{first, while_heard};
use crate::progress::Progress;
use crate::protocol::{DATA_HEADER, Word, data_header};
use crate::silence::telling_silence;
use crate::stop::Stop;
use crate::watch::Watch;

/// Sends one file and waits until the receiver has verified it.
pub(crate) async fn run(send: Send, mut stop: Stop, watch: &Watch) -> Result<(), Failure> {
    let (file, length, name) = open(&send.file)?;
    let endpoint = watch.bind(builder(&send.local, 0).nodelay(true), 0).await?;
    let peer = Peer::new(Host::addresses(&send.to, &send.local.bind), send.local.port);
    let peer = if send.local.raw { peer.raw() } else { peer.encapsulation(send.udp) };
    let connecting = async { Ok(endpoint.connect(peer).await?) };
    let association = stop.or(connecting).await?;
    let mut progress = Progress::new(&name, length);
    let done = transfer(&association, file, &send.file, length, name, send.streams, &mut progress);
    match stop.or(telling_silence(&association, done)).await {
        Ok(()) => {
            let told = format!(
                "{}: sent and verified, {}; {}",
                send.file.display(),
                progress.summary(length),
                shares(&association, |path| path.stats.bytes_acked)
            );
            drop(progress);
            say(&told);
            // The receiver has the file, however the association ends
            stop.farewell(association.shutdown()).await;
            Ok(())
        }
        Err(failure) => {
            association.abort(format!("the sender gave up: {}", failure.for_peer()));
            stop.farewell(endpoint.close()).await;
            Err(failure)
        }
    }
}

/// The file, its length, and the name that the receiver gives it.
fn open(path: &Path) -> Result<(File, u64, String), Failure> {
    let (file, length) = regular(None, path)?;
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| {
        Failure::input(format!("{}: its name is not UTF-8, expected another one", path.display()))
    })?;
    Ok((file, length, name.to_owned()))
}

async fn transfer(
    association: &Association,
    file: File,
    path: &Path,
    length: u64,
    name: String,
    streams: u16,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let hello = Word::Hello { length, name };
    association.send(Message::new(hello.encode())).await?;
    match first(answer(association)).await? {
        Word::Ready => {}
        word => return Err(unexpected(&word)),
    }
    let streams = streams.min(association.streams().outbound);
    // The receiver reports in time that it is busy, even if this side is slow
    let contents = async {
        let answer = answer(association);
        tokio::pin!(answer);
        tokio::select! {
            biased;
            // Before it has the whole file, the receiver only answers if it fails; it may then end the association
            word = &mut answer => return word,
            sent = pump(association, file, path, length, streams, progress) => sent?,
        }
        answer.await
    };
    match while_heard(association, contents).await? {
        Word::Verified => Ok(()),
        word => Err(unexpected(&word)),
    }
}

/// The next message of the receiver, except `Busy`.
async fn answer(association: &Association) -> Result<Word, Failure> {
    loop {
        let message = association.receive().await?;
        let message = message.ok_or_else(|| Failure::broken("the receiver ended the transfer"))?;
        match Word::decode(message.payload) {
            Some(Word::Busy) => {}
            Some(word) => return Ok(word),
            None => {
                let text = "the peer is no `manypath-net receive` of this version";
                return Err(Failure::broken(text));
            }
        }
    }
}

fn unexpected(word: &Word) -> Failure {
    match word {
        Word::Failed(text) => Failure::broken(format!("the receiver: {text}")),
        _ => Failure::broken("the receiver answered out of turn"),
    }
}

/// Sends the contents of the file, and its hash.
async fn pump(
    association: &Association,
    file: File,
    path: &Path,
    length: u64,
    streams: u16,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let (pieces, mut incoming) = mpsc::channel(PIECES_AHEAD);
    let reader = spawn_blocking({
        let path = path.to_owned();
        move || read(file, &path, length, &pieces)
    });
    let (mut done, mut stream) = (0, 0);
    while let Some(piece) = incoming.recv().await {
        done += (piece.len() - DATA_HEADER) as u64;
        association.send(Message::new(piece).stream(stream)).await?;
        stream = (stream + 1) % streams;
        progress.show(done);
    }
    let hash = reader.await.map_err(|error| Failure::broken(error.to_string()))??;
    // Without this request, the shutdown might wait for the delayed acknowledgement of this message
    association.send(Message::new(Word::End { hash }.encode()).sack_immediately()).await?;
    Ok(())
}

/// Reads the file piece by piece, with headers; returns its hash.
fn read(
    mut file: File,
    path: &Path,
    length: u64,
    pieces: &mpsc::Sender<Bytes>,
) -> Result<[u8; 32], Failure> {
    let mut hasher = blake3::Hasher::new();
    let mut offset = 0;
    while offset < length {
        let size = usize::try_from(length - offset).unwrap_or(usize::MAX).min(PIECE);
        let mut piece = Vec::with_capacity(DATA_HEADER + size);
        piece.extend_from_slice(&data_header(offset));
        let mut limited = (&mut file).take(size as u64);
        let read = limited.read_to_end(&mut piece).map_err(|error| Failure::file(path, &error))?;
        if read == 0 {
            return Err(Failure::file(path, "became shorter while it was sent"));
        }
        hasher.update(&piece[DATA_HEADER..]);
        offset += read as u64;
        if pieces.blocking_send(piece.into()).is_err() {
            break;
        }
    }
    Ok(hasher.finalize().into())
}

/// Bytes of the file per message.
const PIECE: usize = 1 << 16;
/// Largest number of pieces that are read ahead.
const PIECES_AHEAD: usize = 16;
