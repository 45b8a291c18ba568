//! The length of Python functions, by indentation. Clippy checks those of Rust.

use crate::tree::Finding;

/// A function and its length, including the signature.
pub(super) struct Function {
    /// Its name.
    pub(super) name: String,
    /// Its first line, counted from 1.
    pub(super) line: usize,
    /// Number of lines, without the docstring.
    pub(super) lines: usize,
}

/// The largest number of lines of a function.
const MOST_LINES: usize = 70;

/// Functions that are too long.
pub(super) fn check(file: &str, text: &str) -> Vec<Finding> {
    all(file, text)
        .into_iter()
        .filter(|function| function.lines > MOST_LINES)
        .map(|Function { name, line, lines }| {
            Finding::at(
                file,
                line,
                format!("`{name}` has {lines} lines, more than {MOST_LINES}: split it"),
            )
        })
        .collect()
}

/// Every function of a Python file.
pub(super) fn all(file: &str, text: &str) -> Vec<Function> {
    if file.ends_with(".py") { in_python(text) } else { Vec::new() }
}

fn in_python(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut functions = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = line
            .trim_start()
            .strip_prefix("async ")
            .unwrap_or(line.trim_start())
            .strip_prefix("def ")
        else {
            continue;
        };
        let belongs = |later: &&&str| {
            let text = later.trim_start();
            text.is_empty() || indent(later) > indent(line) || text.starts_with(')')
        };
        let body: Vec<&str> = lines[at + 1..].iter().take_while(belongs).copied().collect();
        let blank = body.iter().rev().take_while(|line| line.trim().is_empty()).count();
        let name = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        functions.push(Function {
            name,
            line: at + 1,
            lines: 1 + body.len() - blank - docstring(&body),
        });
    }
    functions
}

/// Number of lines of a body's docstring.
fn docstring(body: &[&str]) -> usize {
    let quote = "\"\"\"";
    let opens = |line: &&str| line.trim_start().trim_start_matches('r').starts_with(quote);
    let Some(first) = body.iter().position(opens) else { return 0 };
    let before_is_signature =
        body[..first].iter().all(|line| !line.trim_start().starts_with("return"));
    if !before_is_signature || first > 20 {
        return 0;
    }
    if body[first].matches(quote).count() == 2 {
        return 1;
    }
    body[first + 1..].iter().position(|line| line.contains(quote)).map_or(0, |last| last + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_passes_and_one_line_more_does_not() {
        let python = |lines: usize| format!("def long():\n{}", "    one()\n".repeat(lines - 1));
        assert_eq!(check("a.py", &python(70)), []);
        assert_eq!(check("a.py", &python(71)).len(), 1);
    }

    #[test]
    fn python_functions_are_counted_without_their_docstring() {
        let text = "def f(\n    a,\n):\n    \"\"\"Say.\n\n    More.\n    \"\"\"\n    return a\n\n\ndef g():\n    return 1\n";
        let sizes: Vec<_> =
            in_python(text).iter().map(|f| (f.name.clone(), f.line, f.lines)).collect();
        assert_eq!(sizes, [("f".to_owned(), 1, 4), ("g".to_owned(), 11, 2)]);
    }
}
