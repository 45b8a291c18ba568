//! A file that a separate thread writes, so that no packet waits for the disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

/// Memory whose chunks a thread writes to the file. The file is complete after this is dropped and the thread has
/// finished.
#[derive(Debug)]
pub struct Background {
    full: Sender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
}

/// The thread that writes the file.
#[derive(Debug)]
pub struct WriterThread(JoinHandle<io::Result<()>>);

/// Opens a file for [`start`], which truncates it.
///
/// # Errors
/// If the file cannot be opened for writing.
pub fn open(path: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(false).open(path)
}

/// Starts a thread that truncates `file` and writes the data of the [`Background`].
#[must_use]
pub fn start(file: File) -> (Background, WriterThread) {
    let (full, filled) = mpsc::channel();
    let (emptied, empty) = mpsc::channel();
    for _ in 0..CHUNKS {
        // Cannot fail, because this function owns both ends.
        let _ = emptied.send(Vec::with_capacity(2 * CHUNK));
    }
    let thread = thread::spawn(move || write(file, &filled, &emptied));
    let chunk = Vec::with_capacity(2 * CHUNK);
    (Background { full, empty, chunk }, WriterThread(thread))
}

impl Background {
    /// Whether there is room for another packet; false if the disk is too slow.
    pub fn has_room(&mut self) -> bool {
        if self.chunk.len() < CHUNK {
            return true;
        }
        let Ok(next) = self.empty.try_recv() else { return false };
        // If the other end is gone, nothing more is written, and `finish` returns the error.
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
    /// Waits until all data is written. The [`Background`] must be dropped before.
    ///
    /// # Errors
    /// If writing failed.
    pub fn finish(self) -> io::Result<()> {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Writes full chunks until the sender is dropped, and returns them empty.
fn write(mut file: File, full: &Receiver<Vec<u8>>, empty: &Sender<Vec<u8>>) -> io::Result<()> {
    // Devices and pipes cannot be truncated
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    for mut chunk in full {
        file.write_all(&chunk)?;
        chunk.clear();
        // Fails only if the capture has ended and needs no more buffers.
        let _ = empty.send(chunk);
    }
    Ok(())
}

/// Size of a chunk in bytes.
const CHUNK: usize = 256 * 1024;
/// Largest number of chunks that wait for the disk: a second at 130 Mbit/s.
const CHUNKS: usize = 64;
