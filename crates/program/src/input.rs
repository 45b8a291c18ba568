//! Files that a program reads.
//!
//! A named pipe is read like a file, because shells pass the output of another program so: `--config <(program)`. The
//! length of the content is limited, because a device has no end.

use std::fmt::Display;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use crate::failure::Failure;

/// The name of standard input on a command line.
pub const STANDARD_INPUT: &str = "-";

/// The name of an input for messages.
#[must_use]
pub fn name_of(file: &Path) -> String {
    match file == Path::new(STANDARD_INPUT) {
        true => "standard input".to_owned(),
        false => file.display().to_string(),
    }
}

/// The text in a file of at most `most` MiB. `option` names the file on the command line, `expected` is what its
/// content should be, such as "options as TOML". A byte order mark at the beginning is left out.
///
/// # Errors
/// If the file cannot be read, has more bytes, or is not UTF-8.
pub fn text(
    option: Option<&str>,
    file: &Path,
    most: u64,
    expected: &str,
) -> Result<String, Failure> {
    let wrong = |reason: String| named(option, &name_of(file), reason);
    let text = String::from_utf8(bytes(option, file, most, expected)?).map_err(|error| {
        let right = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = right.iter().filter(|byte| **byte == b'\n').count() + 1;
        wrong(format!("line {line} is not UTF-8, expected {expected}"))
    })?;
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

/// The content of a file of at most `most` MiB; [`STANDARD_INPUT`] is standard input.
///
/// # Errors
/// If the file cannot be read, or has more bytes.
pub fn bytes(
    option: Option<&str>,
    file: &Path,
    most: u64,
    expected: &str,
) -> Result<Vec<u8>, Failure> {
    let wrong = |reason: String| named(option, &name_of(file), reason);
    let limit = most << 20;
    let mut content = Vec::new();
    let read = if file == Path::new(STANDARD_INPUT) {
        io::stdin().lock().take(limit + 1).read_to_end(&mut content)
    } else {
        // The error of a folder is the same on its first read, but does not say what is expected
        if file.is_dir() {
            return Err(wrong(format!("it is a folder, expected a file with {expected}")));
        }
        File::open(file).and_then(|file| file.take(limit + 1).read_to_end(&mut content))
    };
    let length = read.map_err(|error| wrong(format!("it cannot be read: {error}")))?;
    if length as u64 > limit {
        return Err(wrong(format!("it has more than {most} MiB, expected {expected}")));
    }
    Ok(content)
}

/// Opens a regular file; returns it and its length in bytes. `option` names the file on the command line.
///
/// # Errors
/// If the file is another kind of file, or cannot be opened.
pub fn regular(option: Option<&str>, file: &Path) -> Result<(File, u64), Failure> {
    let wrong = |reason: String| named(option, &file.display().to_string(), reason);
    let refused = |error: io::Error| wrong(format!("it cannot be read: {error}"));
    // Opening a pipe would block until there is a writer
    let kind = file.metadata().map_err(refused)?.file_type();
    if !kind.is_file() {
        return Err(wrong(format!("it is {}, expected a regular file", name_of_kind(kind))));
    }
    let opened = File::open(file).map_err(refused)?;
    let length = opened.metadata().map_err(refused)?.len();
    Ok((opened, length))
}

/// The failure of an input or output: the option and the file, or only the file.
pub(crate) fn named(option: Option<&str>, file: &str, reason: impl Display) -> Failure {
    Failure::input(match option {
        Some(option) => format!("`{option}` is {file}: {reason}"),
        None => format!("{file}: {reason}"),
    })
}

fn name_of_kind(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_is_named_with_the_option_and_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("latin"), b"a = 1\nb = \"\xe9\"\n").unwrap();
        for (file, reason) in [
            (at("missing"), "it cannot be read: No such file or directory (os error 2)"),
            (at(""), "it is a folder, expected a file with options"),
            (at("latin"), "line 2 is not UTF-8, expected options"),
            (at("latin/below"), "it cannot be read: Not a directory (os error 20)"),
            ("/dev/zero".into(), "it has more than 1 MiB, expected options"),
        ] {
            let failure = text(Some("--config"), &file, 1, "options").unwrap_err();
            let message = format!("`--config` is {}: {reason}", file.display());
            assert_eq!(failure, Failure { message, code: 2 });
            let failure = text(None, &file, 1, "options").unwrap_err();
            assert_eq!(failure.message, format!("{}: {reason}", file.display()));
        }
    }

    #[test]
    fn a_text_is_read_whole_and_without_a_byte_order_mark() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text");
        for (content, expected) in [("", ""), ("a\n", "a\n"), ("\u{feff}a = 1", "a = 1")] {
            fs::write(&file, content).unwrap();
            assert_eq!(text(None, &file, 1, "options").as_deref(), Ok(expected));
        }
        fs::write(&file, "x".repeat(1 << 20)).unwrap();
        assert_eq!(text(None, &file, 1, "options").map(|text| text.len()), Ok(1 << 20));
    }

    #[test]
    fn only_a_regular_file_is_opened_where_one_is_needed() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for (file, kind) in
            [(folder.path(), "a folder"), (&pipe, "a pipe"), (Path::new("/dev/null"), "a device")]
        {
            let message = format!("{}: it is {kind}, expected a regular file", file.display());
            assert_eq!(regular(None, file).unwrap_err(), Failure { message, code: 2 });
        }
        let file = folder.path().join("file");
        fs::write(&file, "four").unwrap();
        assert_eq!(regular(None, &file).unwrap().1, 4);
    }
}
