//! The house rules as a program: `cargo xtask RULE`.

mod citations;
#[cfg(test)]
mod fixture;
mod generated;
mod layers;
mod mask;
mod rfc9260;
mod tidy;
mod tree;

use std::process::ExitCode;
use tree::{Finding, Tree};

/// The result of a rule: its violations, or why it could not be checked.
type Findings = Result<Vec<Finding>, String>;

const USAGE: &str = "\
usage: cargo xtask RULE

  layers              a crate depends only on what lies below it, and pure crates stay pure
  tidy [--report]     sizes, doc lines, names, blanks; --report prints the sizes
  citations [--check] tags in comments exist in REFERENCES.md; writes docs/reference/citations.md
  rfc9260 [--check]   tests named in spec/rfc9260 exist; writes docs/reference/rfc9260.md
  docs                writes every generated page
  check               everything above; writes nothing";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match Tree::open(&tree::workspace_root()).and_then(|tree| run(&tree, &words)) {
        Ok(findings) if findings.is_empty() => ExitCode::SUCCESS,
        Ok(findings) => {
            for finding in &findings {
                eprintln!("{finding}");
            }
            eprintln!("xtask: {} finding(s)", findings.len());
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(tree: &Tree, words: &[&str]) -> Findings {
    match words {
        ["layers"] => layers(tree),
        ["tidy"] => tidy::check(tree),
        ["tidy", "--report"] => {
            println!("{}", tidy::report(tree)?);
            Ok(Vec::new())
        }
        ["citations"] => citations::write(tree),
        ["citations", "--check"] => citations::check(tree),
        ["rfc9260"] => rfc9260::write(tree),
        ["rfc9260", "--check"] => rfc9260::check(tree),
        ["docs"] => Ok([citations::write(tree)?, rfc9260::write(tree)?].concat()),
        ["check"] => {
            let rules = [layers, tidy::check, citations::check, rfc9260::check];
            rules.iter().try_fold(Vec::new(), |mut all, rule| {
                all.extend(rule(tree)?);
                Ok(all)
            })
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn layers(tree: &Tree) -> Findings {
    let mut findings = layers::check(&layers::metadata(&tree.root)?)?;
    findings.extend(layers::check_purity(tree));
    Ok(findings)
}
