//! Masks Rust text: only its code or only its comments remain.

/// The text with everything except code replaced by blanks; lines and lengths are unchanged.
pub(crate) fn code(text: &str) -> String {
    masked(text, |kind| kind == Kind::Code)
}

/// The text with everything except comments replaced by blanks; lines and lengths are unchanged.
pub(crate) fn comments(text: &str) -> String {
    masked(text, |kind| kind == Kind::Comment)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

fn masked(text: &str, keep: impl Fn(Kind) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut previous = ' ';
    while !rest.is_empty() {
        let (kind, length) = piece(rest, previous);
        let (now, later) = rest.split_at(length);
        for c in now.chars() {
            out.push(if c == '\n' || keep(kind) { c } else { ' ' });
            previous = c;
        }
        rest = later;
    }
    out
}

/// The kind and the length in bytes of the piece that begins here.
fn piece(rest: &str, previous: char) -> (Kind, usize) {
    if rest.starts_with("//") {
        return (Kind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Kind::Comment, block_comment(rest));
    }
    if let Some(length) = literal(rest, previous) {
        return (Kind::Literal, length);
    }
    (Kind::Code, rest.chars().next().map_or(0, char::len_utf8))
}

/// Length of a block comment, which may be nested.
fn block_comment(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Length of a string or character literal, including raw and byte literals.
fn literal(rest: &str, previous: char) -> Option<usize> {
    let in_word = previous.is_alphanumeric() || previous == '_';
    let unprefixed = rest.trim_start_matches(['b', 'c', 'r']);
    let prefix = rest.len() - unprefixed.len();
    if prefix > 2 || (prefix > 0 && in_word) {
        return None;
    }
    if rest[..prefix].contains('r') {
        let open = unprefixed.trim_start_matches('#');
        let hashes = unprefixed.len() - open.len();
        let body = open.strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        let end = body.find(&close).map_or(body.len(), |end| end + close.len());
        return Some(prefix + hashes + 1 + end);
    }
    match unprefixed.as_bytes().first()? {
        b'"' => Some(prefix + closed_by(unprefixed, '"')),
        b'\'' if is_character(unprefixed) => Some(prefix + closed_by(unprefixed, '\'')),
        _ => None,
    }
}

/// `'a'` and `'\n'` are characters; `'a` in `&'a str` is a lifetime.
fn is_character(rest: &str) -> bool {
    let mut chars = rest.chars().skip(1);
    match chars.next() {
        Some('\\') => true,
        Some(_) => chars.next() == Some('\''),
        None => false,
    }
}

/// Number of bytes up to and including the closing quote, with escapes.
fn closed_by(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_not_code() {
        let text = "let a = \"fn // no\"; // fn b() {\nlet c = '{'; /* { /* { */ */ let d: &'a str = r#\"}\"#;\n";
        let code = code(text);
        assert!(!code.contains("fn") && !code.contains('{') && !code.contains('}'), "{code}");
        assert!(code.contains("let d: &'a str ="), "{code}");
        assert_eq!(code.lines().count(), text.lines().count());
    }

    #[test]
    fn only_comments_are_comments() {
        let text = "let url = \"http://x\"; // RFC 9260\n/// doc\nfn f() {}\n";
        let comments = comments(text);
        assert_eq!(
            comments.split_whitespace().collect::<Vec<_>>(),
            ["//", "RFC", "9260", "///", "doc"]
        );
    }

    #[test]
    fn an_escaped_quote_does_not_end_a_string() {
        let code = code("a(\"\\\"{\", b'\\'', '\\\\') }");
        assert_eq!(code.split_whitespace().collect::<String>(), "a(,,)}");
    }
}
