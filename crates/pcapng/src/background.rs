//! A file that is written by a thread of its own, so that a packet never waits for the disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

/// Memory that is handed to the disk piece by piece. The file is complete once this is dropped and the thread finished.
#[derive(Debug)]
pub struct Background {
    full: Sender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
}

/// The thread that writes the file.
#[derive(Debug)]
pub struct WriterThread(JoinHandle<io::Result<()>>);

/// Opens a file for [`start`]. What it holds stays until then.
///
/// # Errors
/// If the system does not let it be written.
pub fn open(path: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(false).open(path)
}

/// Starts a thread that empties `file` and writes what goes into the [`Background`].
#[must_use]
pub fn start(file: File) -> (Background, WriterThread) {
    let (full, filled) = mpsc::channel();
    let (emptied, empty) = mpsc::channel();
    for _ in 0..CHUNKS {
        // Both ends are here: it cannot fail.
        let _ = emptied.send(Vec::with_capacity(2 * CHUNK));
    }
    let thread = thread::spawn(move || write(file, &filled, &emptied));
    let chunk = Vec::with_capacity(2 * CHUNK);
    (Background { full, empty, chunk }, WriterThread(thread))
}

impl Background {
    /// Whether another packet fits; if the disk is behind, none does.
    pub fn has_room(&mut self) -> bool {
        if self.chunk.len() < CHUNK {
            return true;
        }
        let Ok(next) = self.empty.try_recv() else { return false };
        // If the other end is gone, nothing more is written, and it says why.
        let _ = self.full.send(std::mem::replace(&mut self.chunk, next));
        true
    }
}

impl Write for Background {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.chunk.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.full.send(std::mem::take(&mut self.chunk));
    }
}

impl WriterThread {
    /// Waits until everything is in the file. The [`Background`] must be dropped before.
    ///
    /// # Errors
    /// If the system did not take everything.
    pub fn finish(self) -> io::Result<()> {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Writes full chunks until there are no more, and gives them back empty.
fn write(mut file: File, full: &Receiver<Vec<u8>>, empty: &Sender<Vec<u8>>) -> io::Result<()> {
    // Devices and pipes hold nothing
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    for mut chunk in full {
        file.write_all(&chunk)?;
        chunk.clear();
        // Fails if the capture has ended, which needs no more buffers.
        let _ = empty.send(chunk);
    }
    Ok(())
}

/// Bytes that go to the system at once.
const CHUNK: usize = 256 * 1024;
/// Chunks that may wait for the disk: a second of 130 Mbit/s.
const CHUNKS: usize = 64;
