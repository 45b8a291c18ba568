//! Writes lines into a file.

use std::io::{self, Write};

use serde::Serialize;

use crate::{Event, Header, Line, Selection};

/// Writes each line by one call of `write_all`.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    selection: Selection,
    /// The current line; kept to reuse its memory.
    line: Vec<u8>,
    /// The first error of writing.
    failure: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// A writer that begins with the header.
    pub fn new(out: W, selection: Selection, header: &Header<'_>) -> Self {
        let mut writer = Self { out, selection, line: Vec::new(), failure: None };
        writer.put(header);
        writer
    }

    /// Whether an event is selected.
    #[must_use]
    pub const fn wants(&self, event: &Event<'_>) -> bool {
        self.selection.has(event)
    }

    /// Writes a line if its event is selected. After an error nothing more is written, and [`Writer::finish`] returns
    /// the error.
    pub fn write(&mut self, line: &Line<'_>) {
        if self.wants(line.event) {
            self.put(line);
        }
    }

    /// The destination of the lines.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Flushes all lines.
    ///
    /// # Errors
    /// If writing failed.
    pub fn finish(mut self) -> io::Result<()> {
        match self.failure {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn put(&mut self, record: &impl Serialize) {
        if self.failure.is_some() {
            return;
        }
        self.line.clear();
        let written = serde_json::to_writer(&mut self.line, record).map_err(io::Error::from);
        self.line.push(b'\n');
        self.failure = written.and_then(|()| self.out.write_all(&self.line)).err();
    }
}
