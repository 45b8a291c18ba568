//! The configuration file of `manypath-net serve`: TOML whose keys are the options of the command line.
//!
//! Its values become words of the command line that the user did not write. So the options have one definition, and a
//! value of the file is checked like one of the command line.

use std::error::Error as _;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use manypath_core::remedy;
use manypath_program::{name_of, text};
use toml::{Table, Value};

use crate::arguments::Arguments;
use crate::failure::Failure;

/// A parsed command line, with the configuration file that it names.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) arguments: Arguments,
    file: Option<Source>,
}

/// A configuration file whose options are used.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    /// The options of the file that the command line does not override.
    keys: Vec<String>,
}

/// Why a command line was not parsed.
#[derive(Debug)]
pub(crate) enum Unparsed {
    /// The command line is wrong, or asks for help.
    Line(clap::Error),
    /// The configuration file is wrong.
    File(Failure),
}

impl From<clap::Error> for Unparsed {
    fn from(error: clap::Error) -> Self {
        Self::Line(error)
    }
}

impl From<Failure> for Unparsed {
    fn from(failure: Failure) -> Self {
        Self::File(failure)
    }
}

/// Parses a command line, and the configuration file that it names.
pub(crate) fn parse(mut words: Vec<OsString>) -> Result<Parsed, Unparsed> {
    let command = Arguments::command();
    let matches = command.clone().try_get_matches_from(&words)?;
    let given = matches.subcommand_matches(SERVE);
    let path = given.and_then(|given| given.get_one::<PathBuf>(CONFIG).cloned());
    let (Some(given), Some(path)) = (given, path) else {
        let arguments = Arguments::from_arg_matches(&matches)?;
        return Ok(Parsed { arguments, file: None });
    };
    let serve = command.find_subcommand(SERVE).ok_or_else(|| Failure::broken("no such command"))?;
    let file = ConfigFile { path: &path, command: serve };
    let (keys, more) = file.words(&file.read()?, given)?;
    // After the program and the command
    drop(words.splice(2..2, more));
    // The command line alone was right
    let arguments = Arguments::try_parse_from(words).map_err(|error| file.explain(&error))?;
    Ok(Parsed { arguments, file: Some(Source { path, keys }) })
}

impl Parsed {
    /// The arguments, and what turns a failure that names an option of the file into one that names the file.
    pub(crate) fn split(self) -> (Arguments, impl FnOnce(Failure) -> Failure) {
        let Self { arguments, file } = self;
        (arguments, |failure| match file {
            Some(file) => file.blame(failure),
            None => failure,
        })
    }
}

impl Source {
    fn blame(self, failure: Failure) -> Failure {
        let named = |key: &String| failure.message.starts_with(&format!("`--{key}` "));
        let Some(key) = self.keys.iter().find(|key| named(key)) else { return failure };
        let rest = &failure.message[key.len() + "`--` ".len()..];
        let message = format!("{}: `{key}` {rest}", name_of(&self.path));
        failure.with_message(message)
    }
}

/// A file, and the command whose options it has.
struct ConfigFile<'a> {
    path: &'a Path,
    command: &'a Command,
}

impl ConfigFile<'_> {
    fn wrong(&self, what: impl std::fmt::Display) -> Failure {
        Failure::input(format!("{}: {what}", name_of(self.path)))
    }

    fn read(&self) -> Result<Table, Failure> {
        let text = text(None, self.path, MOST_MIB, "options as TOML")?;
        text.parse::<Table>().map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = text[..start.min(text.len())].matches('\n').count() + 1;
            let message = Vec::from_iter(error.message().split_whitespace()).join(" ");
            self.wrong(format!("line {line}: {message}"))
        })
    }

    /// The words for the options that the command line does not override, and their keys.
    fn words(
        &self,
        table: &Table,
        given: &ArgMatches,
    ) -> Result<(Vec<String>, Vec<OsString>), Failure> {
        let is_given =
            |arg: &Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        let (mut used, mut words) = (Vec::<&Arg>::new(), Vec::new());
        for (key, value) in table {
            let arg = self.option(key)?;
            let new = self.words_of(key, arg, value)?;
            let is_overridden =
                self.options().any(|other| is_given(other) && self.clash(arg, other));
            if new.is_empty() || is_given(arg) || is_overridden {
                continue;
            }
            if let Some(other) = used.iter().find(|other| self.clash(arg, other)) {
                let other = other.get_long().unwrap_or_default();
                return Err(self.wrong(format!("`{key}` cannot be used with `{other}`")));
            }
            used.push(arg);
            words.extend(new);
        }
        let keys = used.iter().filter_map(|arg| arg.get_long().map(str::to_owned));
        Ok((keys.collect(), words))
    }

    /// The options that the file may have.
    fn options(&self) -> impl Iterator<Item = &Arg> {
        let is_option = |arg: &&Arg| arg.get_long().is_some_and(|name| name != CONFIG);
        self.command.get_arguments().filter(is_option)
    }

    fn option(&self, key: &str) -> Result<&Arg, Failure> {
        if let Some(arg) = self.options().find(|arg| arg.get_long() == Some(key)) {
            return Ok(arg);
        }
        let remedy = remedy(key, self.options().filter_map(Arg::get_long));
        Err(self.wrong(format!("`{key}` is not an option: {remedy}")))
    }

    /// Whether two options exclude each other.
    fn clash(&self, one: &Arg, other: &Arg) -> bool {
        let excludes = |one: &Arg, other: &Arg| {
            self.command.get_arg_conflicts_with(one).iter().any(|it| it.get_id() == other.get_id())
        };
        excludes(one, other) || excludes(other, one)
    }

    /// The words of one option.
    fn words_of(&self, key: &str, arg: &Arg, value: &Value) -> Result<Vec<OsString>, Failure> {
        let wrong = |expected: &str| {
            Err(self.wrong(format!("`{key}` is {}, expected {expected}", shown(value))))
        };
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            return match value {
                Value::Boolean(true) => Ok(vec![format!("--{key}").into()]),
                Value::Boolean(false) => Ok(Vec::new()),
                _ => wrong("true or false"),
            };
        }
        let takes_many = matches!(arg.get_action(), ArgAction::Append);
        let values = match value {
            Value::Array(values) if takes_many => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        let word = |value: &Value| Some(format!("--{key}={}", plain(value)?).into());
        let words: Option<Vec<OsString>> = values.iter().map(word).collect();
        match words {
            Some(words) => Ok(words),
            None if takes_many => wrong("texts in an array"),
            None => wrong("a text or a number"),
        }
    }

    /// The failure of a value that the command line refuses. No other option is refused, as the words of the user were
    /// parsed before.
    fn explain(&self, error: &clap::Error) -> Failure {
        let context = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => text.as_str(),
            _ => "",
        };
        let words = context(ContextKind::InvalidArg).trim_start_matches("--");
        let key = words.split([' ', '=']).next().unwrap_or_default();
        let value = quoted(context(ContextKind::InvalidValue));
        let text = match error.kind() {
            ErrorKind::ValueValidation => {
                let reason = error.source().map(ToString::to_string).unwrap_or_default();
                format!("`{key}` is {value}, {reason}")
            }
            ErrorKind::InvalidValue => {
                let known = match error.get(ContextKind::ValidValue) {
                    Some(ContextValue::Strings(known)) if !known.is_empty() => known,
                    // An option without a list refuses only the empty text
                    _ => return self.wrong(format!("`{key}` is {value}, expected a text")),
                };
                let given = context(ContextKind::InvalidValue);
                let remedy = remedy(given, known.iter().map(String::as_str));
                format!("`{key}` is {value}, expected another value; {remedy}")
            }
            ErrorKind::MissingRequiredArgument => {
                let missing = match error.get(ContextKind::InvalidArg) {
                    Some(ContextValue::Strings(all)) => keys_of(all),
                    _ => String::new(),
                };
                format!("{missing} is missing, expected it beside an option that needs it")
            }
            _ => Vec::from_iter(error.to_string().split_whitespace()).join(" "),
        };
        self.wrong(text)
    }
}

/// The keys of options that clap lists like `--events <FILE>`.
fn keys_of(options: &[String]) -> String {
    let key = |option: &String| {
        let name = option.trim_start_matches("--").split([' ', '=']).next().unwrap_or_default();
        format!("`{name}`")
    };
    options.iter().map(key).collect::<Vec<_>>().join(", ")
}

/// The text of a single value as on a command line.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

/// A value in a message.
fn shown(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Datetime(_) => "a date".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Table(_) => "a table".to_owned(),
        value => quoted(&plain(value).unwrap_or_default()),
    }
}

/// Texts have quotation marks, numbers do not.
fn quoted(text: &str) -> String {
    if text.parse::<f64>().is_ok() { text.to_owned() } else { format!("{text:?}") }
}

/// The command that has a configuration file.
const SERVE: &str = "serve";
/// The option that names the file.
const CONFIG: &str = "config";
/// Largest size of the file.
const MOST_MIB: u64 = 1;
