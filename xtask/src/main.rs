//! The house rules as a program: `cargo xtask RULE`.

mod citations;
#[cfg(test)]
mod fixture;
mod layers;
mod mask;
mod rfc9260;
mod tidy;
mod tree;

use std::path::Path;
use std::process::ExitCode;
use tree::{Finding, Tree};

/// The result of a rule: its violations, or why it could not be checked.
type Findings = Result<Vec<Finding>, String>;

const USAGE: &str = "\
usage: cargo xtask RULE

  layers              a crate depends only on what lies below it, and pure crates stay pure
  tidy [--report]     sizes, doc lines, names, blanks; --report prints the sizes
  citations           tags in comments exist in REFERENCES.md
  rfc9260             tests named in spec/rfc9260 exist
  check               everything above
  pages FOLDER        writes the pages of citations and of RFC 9260 for the site into a folder";

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
        ["citations"] => citations::check(tree),
        ["rfc9260"] => rfc9260::check(tree),
        ["pages", folder] => write_pages(tree, Path::new(folder)),
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

/// Writes the generated pages below a folder, which stands for `docs`.
fn write_pages(tree: &Tree, folder: &Path) -> Findings {
    let mut pages = rfc9260::pages(tree)?;
    pages.push(citations::page_of(tree)?);
    for page in pages {
        let path = folder.join(&page.place);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, page.text))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(Vec::new())
}

/// A generated page of the site.
struct Page {
    /// Its place below `docs`.
    place: String,
    /// Its Markdown.
    text: String,
}

fn layers(tree: &Tree) -> Findings {
    let mut findings = layers::check(&layers::metadata(&tree.root)?)?;
    findings.extend(layers::check_purity(tree));
    Ok(findings)
}
