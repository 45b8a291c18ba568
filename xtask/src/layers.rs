//! The allowed dependencies between crates: the diagram in ARCHITECTURE.md as a table.

use crate::Findings;
use crate::tree::{Finding, Tree};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// One row of the table, by folder name: `core` is the crate `manypath-core`.
pub(crate) struct Layer {
    /// The crate.
    pub(crate) name: &'static str,
    /// The crates on which it may depend.
    pub(crate) may_use: &'static [&'static str],
    /// Further crates that its tests may use.
    pub(crate) tests_may_use: &'static [&'static str],
    /// Whether it must not use clocks, sockets, threads or global randomness. Clippy checks this.
    pub(crate) pure: bool,
}

/// Every crate of the workspace, lowest first. A crate without a row is an error.
pub(crate) const LAYERS: &[Layer] = &[
    Layer { name: "core", may_use: &[], tests_may_use: &[], pure: true },
    Layer { name: "cc", may_use: &["core"], tests_may_use: &[], pure: true },
    Layer { name: "link", may_use: &["core"], tests_may_use: &[], pure: true },
    Layer { name: "pcapng", may_use: &["core"], tests_may_use: &[], pure: false },
    Layer { name: "namespace", may_use: &[], tests_may_use: &[], pure: false },
    Layer { name: "posix", may_use: &[], tests_may_use: &[], pure: false },
    Layer { name: "preload", may_use: &["posix"], tests_may_use: &[], pure: false },
    Layer { name: "program", may_use: &["core", "pcapng"], tests_may_use: &[], pure: false },
    Layer { name: "sim", may_use: &["core", "link"], tests_may_use: &[], pure: true },
    Layer { name: "stage", may_use: &["core", "link"], tests_may_use: &[], pure: true },
    Layer {
        name: "sctp",
        may_use: &["core", "cc"],
        tests_may_use: &["link", "sim", "stage"],
        pure: true,
    },
    Layer {
        name: "tcp",
        may_use: &["core", "cc"],
        tests_may_use: &["link", "sim", "stage"],
        pure: true,
    },
    Layer { name: "events", may_use: &["core", "sctp", "tcp"], tests_may_use: &[], pure: false },
    Layer {
        name: "lab",
        may_use: &["core", "cc", "events", "link", "pcapng", "sim", "sctp", "tcp"],
        tests_may_use: &[],
        pure: false,
    },
    Layer { name: "decode", may_use: &["core", "sctp"], tests_may_use: &[], pure: false },
    Layer {
        name: "net",
        may_use: &["core", "cc", "events", "pcapng", "sctp"],
        tests_may_use: &["decode", "namespace"],
        pure: false,
    },
    Layer {
        name: "serve",
        may_use: &["core", "net", "posix", "sctp"],
        tests_may_use: &[],
        pure: false,
    },
    Layer {
        name: "net-cli",
        // `perf --settings` reads a flow of a scenario, for which it needs `lab`
        may_use: &["core", "events", "lab", "net", "pcapng", "posix", "program", "sctp", "serve"],
        tests_may_use: &["decode"],
        pure: false,
    },
    Layer {
        name: "emu",
        may_use: &["core", "link", "namespace", "pcapng", "program"],
        tests_may_use: &[],
        pure: false,
    },
    Layer {
        name: "bpf",
        // The loader moves the weights of `bmc` by the formulas of `cc`
        may_use: &["core", "cc", "namespace", "program"],
        tests_may_use: &[],
        pure: false,
    },
    Layer { name: "capi", may_use: &["net", "posix", "serve"], tests_may_use: &[], pure: false },
    Layer {
        name: "py",
        may_use: &["core", "cc", "decode", "lab", "net"],
        tests_may_use: &[],
        pure: false,
    },
    Layer { name: "peer-contract", may_use: &[], tests_may_use: &[], pure: false },
    Layer {
        name: "peer",
        may_use: &["core", "net", "peer-contract"],
        tests_may_use: &[],
        pure: false,
    },
    Layer { name: "fuzz", may_use: &["core", "sctp"], tests_may_use: &[], pure: false },
    Layer { name: "xtask", may_use: &[], tests_may_use: &[], pure: false },
];

/// The output of `cargo metadata` without external dependencies.
pub(crate) fn metadata(root: &Path) -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// Every dependency of the workspace that the table does not allow.
pub(crate) fn check(metadata: &Value) -> Findings {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = short(package["name"].as_str().unwrap_or_default());
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
            findings
                .push(Finding::on(name, "has no row in the table of layers (xtask/src/layers.rs)"));
            continue;
        };
        for edge in package["dependencies"].as_array().into_iter().flatten() {
            let to = edge["name"].as_str().unwrap_or_default();
            if names.contains(&to) {
                findings.extend(forbidden(layer, short(to), edge["kind"].as_str()));
            }
        }
    }
    Ok(findings)
}

/// Every pure crate for which clippy does not have the rules of pure crates.
pub(crate) fn check_purity(tree: &Tree) -> Vec<Finding> {
    let rules = |name| tree.read(&format!("crates/{name}/clippy.toml")).ok();
    let pure = LAYERS.iter().filter(|layer| layer.pure);
    pure.filter(|layer| rules(layer.name).is_none_or(|own| Some(own) != rules("core")))
        .map(|layer| {
            let place = format!("crates/{}/clippy.toml", layer.name);
            Finding::on(&place, "the crate is pure: link it to crates/core/clippy.toml")
        })
        .collect()
}

/// A finding if `layer` must not use `to`; `kind` is cargo's kind of dependency: none, `dev` or `build`.
fn forbidden(layer: &Layer, to: &str, kind: Option<&str>) -> Option<Finding> {
    let in_tests = kind == Some("dev");
    let allowed = layer.may_use.contains(&to)
        || in_tests && (layer.tests_may_use.contains(&to) || to == layer.name);
    let place = if in_tests { " in tests" } else { "" };
    (!allowed).then(|| Finding::on(layer.name, format!("must not use {to}{place}")))
}

fn short(name: &str) -> &str {
    name.strip_prefix("manypath-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, lines};
    use serde_json::json;

    fn package(name: &str, edges: &[(&str, Option<&str>)]) -> Value {
        let edges: Vec<Value> =
            edges.iter().map(|(to, kind)| json!({"name": to, "kind": kind})).collect();
        json!({"name": name, "dependencies": edges})
    }

    #[test]
    fn the_workspace_keeps_its_layers() {
        let metadata = metadata(&crate::tree::workspace_root()).expect("cargo runs");
        assert_eq!(lines(&check(&metadata).expect("packages")), [""; 0]);
        let crates: Vec<_> = metadata["packages"].as_array().expect("packages").iter().collect();
        let is_crate =
            |name: &str| crates.iter().any(|it| it["name"].as_str().map(short) == Some(name));
        let rows_without_a_crate: Vec<_> =
            LAYERS.iter().map(|it| it.name).filter(|name| !is_crate(name)).collect();
        assert_eq!(rows_without_a_crate, [""; 0]);
    }

    #[test]
    fn an_arrow_that_points_up_is_named() {
        let metadata = json!({"packages": [
            package("manypath-sim", &[]),
            package("manypath-cc", &[("manypath-sim", None), ("libm", None)]),
        ]});
        assert_eq!(lines(&check(&metadata).expect("packages")), ["cc: must not use sim"]);
    }

    #[test]
    fn tests_of_a_protocol_may_use_the_simulator_and_its_code_may_not() {
        let tests = json!({"packages": [package("manypath-sim", &[]), package("manypath-sctp", &[("manypath-sim", Some("dev"))])]});
        assert_eq!(check(&tests).expect("packages"), []);
        let code = json!({"packages": [package("manypath-sim", &[]), package("manypath-sctp", &[("manypath-sim", None)])]});
        assert_eq!(lines(&check(&code).expect("packages")), ["sctp: must not use sim"]);
    }

    #[test]
    fn a_crate_without_a_row_is_named() {
        let metadata = json!({"packages": [package("manypath-attic", &[])]});
        assert_eq!(
            lines(&check(&metadata).expect("packages")),
            ["attic: has no row in the table of layers (xtask/src/layers.rs)"]
        );
    }

    #[test]
    fn a_pure_crate_without_the_rules_of_pure_crates_is_named() {
        let pure = LAYERS.iter().filter(|layer| layer.pure && layer.name != "tcp");
        let files: Vec<_> = pure.map(|it| format!("crates/{}/clippy.toml", it.name)).collect();
        let mut texts: Vec<_> = files.iter().map(|file| (file.as_str(), "rules")).collect();
        texts.push(("crates/tcp/clippy.toml", "other rules"));
        let remedy = "the crate is pure: link it to crates/core/clippy.toml";
        assert_eq!(
            lines(&check_purity(&Fixture::new(&texts).tree())),
            [format!("crates/tcp/clippy.toml: {remedy}")]
        );
        texts.retain(|(file, _)| !file.contains("/sim/"));
        assert_eq!(lines(&check_purity(&Fixture::new(&texts).tree())).len(), 2);
    }

    #[test]
    fn the_table_has_no_circle() {
        for (row, layer) in LAYERS.iter().enumerate() {
            for below in layer.may_use {
                let place = LAYERS.iter().position(|other| other.name == *below);
                assert!(
                    place.is_some_and(|place| place < row),
                    "{} uses {below}, which is not below it",
                    layer.name
                );
            }
        }
    }
}
