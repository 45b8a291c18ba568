//! The decoder of captures for Python: an iterator of strings.

use std::fs::File;
use std::sync::Mutex;

use manypath_decode::{Decoder, FileError, Form, Options};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    manypath._native,
    DecodeError,
    PyValueError,
    "A capture that cannot be read, or not to its end; one line says why."
);

/// A capture that is being decoded: lines of packets, and a summary so far.
#[pyclass(frozen)]
pub(crate) struct Capture(Mutex<State>);

struct State {
    decoder: Decoder,
    /// The error that ended the file; raised after the lines before it.
    error: Option<FileError>,
    is_done: bool,
}

#[pymethods]
impl Capture {
    /// `form` is "line", "json" or "" for no lines.
    #[new]
    #[pyo3(signature = (file, form, port, interface=None, any_checksum=false))]
    fn new(
        file: std::path::PathBuf,
        form: &str,
        port: u16,
        interface: Option<String>,
        any_checksum: bool,
    ) -> PyResult<Self> {
        let form = match form {
            "line" => Form::Line,
            "json" => Form::Json,
            _ => Form::Nothing,
        };
        let options = Options { form, port, any_checksum, interface };
        let input = File::open(file).map_err(|error| told(&error.into()))?;
        let decoder = Decoder::new(input, options).map_err(|error| told(&error))?;
        Ok(Self(Mutex::new(State { decoder, error: None, is_done: false })))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// The next lines, which may be empty; the iteration ends at the end of the file.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        py.detach(|| self.state().next())
    }

    /// The summary as JSON.
    fn summary(&self) -> PyResult<String> {
        serde_json::to_string(self.state().decoder.summary())
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

impl Capture {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl State {
    fn next(&mut self) -> PyResult<Option<String>> {
        if let Some(error) = self.error.take() {
            return Err(told(&error));
        }
        if self.is_done {
            return Ok(None);
        }
        let mut lines = String::new();
        for _ in 0..FRAMES {
            if lines.len() > MOST_BYTES {
                break;
            }
            match self.decoder.read(&mut lines) {
                Ok(true) => {}
                Ok(false) => {
                    self.is_done = true;
                    break;
                }
                Err(error) => {
                    (self.is_done, self.error) = (true, Some(error));
                    break;
                }
            }
        }
        Ok(Some(lines))
    }
}

fn told(error: &FileError) -> PyErr {
    DecodeError::new_err(error.to_string())
}

/// Number of frames per release of the GIL: a few milliseconds, so that Ctrl-C is handled.
const FRAMES: usize = 500;
/// Number of bytes after which no further frame is read: a packet of short chunks may become a line of 600 kB.
const MOST_BYTES: usize = 1 << 18;
