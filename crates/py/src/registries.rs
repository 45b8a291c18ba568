//! The registries: names, each with a description of one line. The hint for names that they do not have.

use manypath_cc::Profile;
use manypath_lab::{ByLimit, Meanings, Scheduler, flow_counters, path_counters};
use pyo3::prelude::*;

/// Names, each with a description of one line.
pub(crate) type Names = Vec<(&'static str, &'static str)>;

/// Congestion controls: names and descriptions.
#[pyfunction]
pub(crate) fn algorithms() -> Names {
    manypath_cc::algorithms().iter().map(|entry| (entry.name, entry.summary)).collect()
}

/// Parameters in the names of congestion controls: name, key, default and description.
#[pyfunction]
pub(crate) fn algorithm_parameters() -> Vec<(&'static str, &'static str, &'static str, &'static str)>
{
    let algorithms = manypath_cc::algorithms().iter();
    algorithms
        .flat_map(|entry| entry.parameters.iter().map(move |it| (entry.name, it)))
        .map(|(name, it)| (name, it.key, it.default, it.summary))
        .collect()
}

/// The mistake in the name of a congestion control, parameters included, in one line; `None` if the name is valid.
#[pyfunction]
pub(crate) fn algorithm_mistake(name: &str) -> Option<String> {
    manypath_cc::algorithm(name).err().map(|error| error.to_string())
}

/// Whether a congestion control couples the paths of a connection; `None` if the name is unknown.
#[pyfunction]
pub(crate) fn algorithm_is_coupled(name: &str) -> Option<bool> {
    manypath_cc::algorithm(name).ok().map(|algorithm| algorithm.is_coupled())
}

/// Accounting profiles: names and descriptions.
#[pyfunction]
pub(crate) fn profiles() -> Names {
    Profile::ALL.iter().map(|profile| (profile.name, profile.summary)).collect()
}

/// Queue disciplines: names and descriptions.
#[pyfunction]
pub(crate) fn queues() -> Names {
    manypath_lab::queues().iter().map(|kind| (kind.name, kind.summary)).collect()
}

/// Loss models: names and descriptions.
#[pyfunction]
pub(crate) fn loss_models() -> Names {
    manypath_lab::loss_models().iter().map(|kind| (kind.name, kind.summary)).collect()
}

/// Schedulers of Multipath TCP: names and descriptions.
#[pyfunction]
pub(crate) fn schedulers() -> Names {
    Scheduler::ALL.iter().map(|scheduler| (scheduler.name(), scheduler.summary())).collect()
}

/// Counters of the results by kind of frame, and the limits of the columns `blocked_...` of paths: names and meanings.
#[pyfunction]
pub(crate) fn counters() -> [(&'static str, Names); 3] {
    let limits = ByLimit::MEANINGS.iter().map(|(limit, meaning)| (limit, *meaning)).collect();
    [("flows", names(flow_counters())), ("paths", names(path_counters())), ("limits", limits)]
}

fn names(meanings: &Meanings) -> Names {
    meanings.iter().map(|(&name, &meaning)| (name, meaning)).collect()
}

/// A hash of the engine's sources. Results of different versions must not be mixed.
#[pyfunction]
pub(crate) fn engine_version() -> &'static str {
    manypath_lab::engine_version()
}

/// Whether the engine has debug assertions, as in the build of the tests. Its results are the same, its speed is not.
#[pyfunction]
pub(crate) fn has_debug_assertions() -> bool {
    cfg!(debug_assertions)
}

/// Events of a run: names and descriptions from the schema.
#[pyfunction]
pub(crate) fn events() -> Vec<(String, String)> {
    let schema = manypath_lab::events_schema();
    let kinds = schema["$defs"]["Line"]["oneOf"].as_array().cloned().unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let entry = |kind: &serde_json::Value| {
        let about = text(&kind["description"]);
        let line = about.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
        (text(&kind["properties"]["name"]["const"]), line)
    };
    kinds.iter().map(entry).collect()
}

/// The name of `known` that is most similar to `word`; `None` if none is similar.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub(crate) fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    manypath_core::nearest(word, &known).map(str::to_owned)
}

/// The hint for an unknown `word`.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub(crate) fn remedy(word: &str, known: Vec<String>) -> String {
    manypath_core::remedy(word, known.iter().map(String::as_str))
}
