//! Lines on standard error, and the answer to an invalid command line.

use std::io::{Write, stderr};
use std::process::ExitCode;

use crate::failure::INVALID;

/// Prints a line on standard error. Control characters, such as those in the name of a file, are escaped. Unlike
/// `eprintln!`, it does not panic if standard error cannot be written.
pub fn tell(line: &str) {
    let escaped = |character: char| match character.is_control() {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    };
    let line: String = line.chars().map(escaped).collect();
    // There is no other place for the message
    let _ = writeln!(stderr(), "{line}");
}

/// Prints help if it was requested. For an invalid command line it prints one line, where clap prints several, that
/// begins with `prefix`; the exit code is then 2.
#[must_use]
pub fn answer(error: &clap::Error, prefix: &str) -> ExitCode {
    if !error.use_stderr() {
        // Ignore a closed pipe.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    tell(&format!("{prefix}: {}", one_line(&error.render().to_string())));
    ExitCode::from(INVALID)
}

/// The mistake and the usage, without clap's advice.
fn one_line(text: &str) -> String {
    let parts = text.trim_start_matches("error: ").split("\n\n");
    let telling = parts.filter(|part| !part.starts_with("For more information"));
    let lines: Vec<_> =
        telling.map(|part| Vec::from_iter(part.split_whitespace()).join(" ")).collect();
    lines.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mistake_and_the_usage_are_one_line() {
        let command = clap::Command::new("program").arg(clap::Arg::new("file").required(true));
        let error = command.try_get_matches_from(["program"]).expect_err("a file is missing");
        assert_eq!(
            one_line(&error.render().to_string()),
            "the following required arguments were not provided: <file>; Usage: program <file>"
        );
    }
}
