//! Reduces a source file to the tokens that can change a result, for the version of the engine.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Returns the tokens of `source` without comments, documentation and unit tests, separated by spaces.
///
/// A hash of these tokens does not change with comments, documentation or unit tests. A source that is not valid Rust is
/// returned unchanged.
pub(crate) fn of(source: &str) -> String {
    let mut text = String::new();
    match TokenStream::from_str(source) {
        Ok(stream) => write(stream, &mut text),
        Err(_) => text.push_str(source),
    }
    text
}

fn write(stream: TokenStream, text: &mut String) {
    let mut tokens = stream.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if is_punct(&token, '#') {
            let inner = tokens.next_if(|next| is_punct(next, '!'));
            match tokens.peek().and_then(attribute).as_deref() {
                Some(kind) if kind.starts_with("doc ") => {
                    tokens.next();
                    continue;
                }
                Some("cfg (test)") if inner.is_none() => {
                    tokens.by_ref().find(ends_item);
                    continue;
                }
                _ => {}
            }
            text.push_str("# ");
            text.push_str(if inner.is_some() { "! " } else { "" });
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                let (open, close) = delimiters(group.delimiter());
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            other => text.push_str(&other.to_string()),
        }
        text.push(' ');
    }
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Returns the content of the brackets of an attribute.
fn attribute(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            Some(group.stream().to_string())
        }
        _ => None,
    }
}

/// Whether an item ends with this token: `mod tests { ... }` or `mod tests;`.
fn ends_item(token: &TokenTree) -> bool {
    is_punct(token, ';')
        || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

fn delimiters(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}
