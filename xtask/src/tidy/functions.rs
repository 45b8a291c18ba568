//! The length of functions, by matching braces in Rust and by indentation in Python.

use crate::mask;
use crate::tree::Finding;

/// A function and its length, including signature and closing brace.
pub(super) struct Function {
    /// Its name.
    pub(super) name: String,
    /// Its first line, counted from 1.
    pub(super) line: usize,
    /// Number of lines, without a Python docstring.
    pub(super) lines: usize,
}

/// The largest number of lines of a function.
const MOST_LINES: usize = 70;

/// A comment above a longer function, followed by the reason.
const EXCUSE: &str = "// Long because ";

/// Functions that are too long without a reason.
pub(super) fn check(file: &str, text: &str) -> Vec<Finding> {
    let excused = |line: usize| {
        let above = text.lines().take(line - 1).collect::<Vec<_>>();
        let mut above = above.iter().rev().take_while(|line| !line.trim().is_empty());
        above.any(|line| {
            line.trim_start().strip_prefix(EXCUSE).is_some_and(|reason| !reason.trim().is_empty())
        })
    };
    all(file, text)
        .into_iter()
        .filter(|function| function.lines > MOST_LINES && !excused(function.line))
        .map(|Function { name, line, lines }| {
            Finding::at(
                file,
                line,
                format!("`{name}` has {lines} lines, more than {MOST_LINES}: split it"),
            )
        })
        .collect()
}

/// Every function of a source file.
pub(super) fn all(file: &str, text: &str) -> Vec<Function> {
    match file.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => in_rust(text),
        Some("py") => in_python(text),
        _ => Vec::new(),
    }
}

fn in_rust(text: &str) -> Vec<Function> {
    let code = mask::code(text);
    let mut functions = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let starts_word = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = &code[at + 3..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if let Some(length) = body_end(rest).filter(|_| starts_word && !name.is_empty()) {
            let line = code[..at].matches('\n').count() + 1;
            let lines = rest[..length].matches('\n').count() + 1;
            functions.push(Function { name, line, lines });
        }
    }
    functions
}

/// Number of bytes up to the brace that closes the body; `None` for a declaration that ends with `;`.
fn body_end(rest: &str) -> Option<usize> {
    let (mut brackets, mut braces) = (0_i32, 0_i32);
    for (at, c) in rest.char_indices() {
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            '{' => braces += 1,
            '}' if braces == 1 && brackets == 0 => return Some(at),
            '}' => braces -= 1,
            ';' if braces == 0 && brackets == 0 => return None,
            _ => {}
        }
    }
    None
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

    fn rust(body: usize) -> String {
        format!(
            "fn long(a: [u8; 3]) -> u8 {{\n{}}}\nfn short() {{}}\n",
            "    one(); // }\n".repeat(body)
        )
    }

    #[test]
    fn rust_functions_are_counted_by_their_braces() {
        let functions = in_rust(&rust(68));
        let sizes: Vec<_> = functions.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(sizes, [("long", 1, 70), ("short", 71, 1)]);
    }

    #[test]
    fn a_screen_passes_and_one_line_more_does_not() {
        assert_eq!(check("a.rs", &rust(68)), []);
        assert_eq!(check("a.rs", &rust(69)).len(), 1);
    }

    #[test]
    fn a_reason_excuses_a_long_function() {
        let excused = format!("// Long because it is one table.\n#[rustfmt::skip]\n{}", rust(100));
        assert_eq!(check("a.rs", &excused), []);
        assert_eq!(check("a.rs", &format!("// Long because \n{}", rust(100))).len(), 1);
    }

    #[test]
    fn declarations_and_function_types_have_no_body() {
        assert_eq!(in_rust("trait T { fn f(&self) -> u8; }\ntype F = fn(u8);\n").len(), 0);
    }

    #[test]
    fn python_functions_are_counted_without_their_docstring() {
        let text = "def f(\n    a,\n):\n    \"\"\"Say.\n\n    More.\n    \"\"\"\n    return a\n\n\ndef g():\n    return 1\n";
        let sizes: Vec<_> =
            in_python(text).iter().map(|f| (f.name.clone(), f.line, f.lines)).collect();
        assert_eq!(sizes, [("f".to_owned(), 1, 4), ("g".to_owned(), 11, 2)]);
    }
}
