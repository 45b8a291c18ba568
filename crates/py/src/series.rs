//! Samples over time as numpy columns.

use manypath_lab::{Scenario, Series};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Columns by name: `paths.cwnd`, `links.queue` and so on; names of flows, paths and links as texts.
pub(crate) fn columns<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    series: &Series,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let texts = |names: &mut dyn Iterator<Item = &str>| -> Vec<Py<PyAny>> {
        names.map(|name| PyString::new(py, name).into_any().unbind()).collect()
    };
    let paths = &series.paths;
    let flow_names = texts(&mut scenario.flows.keys().map(String::as_str));
    let path_names: Vec<_> = scenario
        .flows
        .values()
        .map(|flow| texts(&mut flow.paths.iter().map(String::as_str)))
        .collect();
    let flow = paths.flow.iter().map(|&flow| flow_names[flow].clone_ref(py));
    let path = paths.flow.iter().zip(&paths.path);
    let path = path.map(|(&flow, &path)| path_names[flow][path].clone_ref(py));
    columns.set_item("paths.time", PyArray1::from_slice(py, &paths.time))?;
    columns.set_item("paths.flow", PyArray1::from_iter(py, flow))?;
    columns.set_item("paths.path", PyArray1::from_iter(py, path))?;
    for (name, column) in [
        ("paths.cwnd", &paths.cwnd),
        ("paths.ssthresh", &paths.ssthresh),
        ("paths.srtt", &paths.srtt),
        ("paths.outstanding", &paths.outstanding),
        ("paths.goodput", &paths.goodput),
    ] {
        columns.set_item(name, PyArray1::from_slice(py, column))?;
    }
    let links = &series.links;
    let link_names = texts(&mut scenario.network.links.keys().map(String::as_str));
    let link = links.link.iter().map(|&link| link_names[link].clone_ref(py));
    columns.set_item("links.time", PyArray1::from_slice(py, &links.time))?;
    columns.set_item("links.link", PyArray1::from_iter(py, link))?;
    columns.set_item("links.queue", PyArray1::from_slice(py, &links.queue))?;
    Ok(columns)
}
