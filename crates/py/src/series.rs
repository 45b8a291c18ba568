//! Samples over time as numpy columns.

use manypath_lab::{FlowColumns, LinkColumns, PathColumns, Scenario, Series};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Columns by name: `paths.cwnd`, `links.queue` and so on; names of flows, paths and links as texts.
pub(crate) fn columns<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    series: &Series,
) -> PyResult<Bound<'py, PyDict>> {
    let mut columns = Columns { py, columns: PyDict::new(py) };
    let flow_names = columns.texts(scenario.flows.keys());
    columns.add_flows(&flow_names, &series.flows)?;
    columns.add_paths(&flow_names, scenario, &series.paths)?;
    columns.add_links(scenario, &series.links)?;
    Ok(columns.columns)
}

struct Columns<'py> {
    py: Python<'py>,
    columns: Bound<'py, PyDict>,
}

impl<'py> Columns<'py> {
    fn add_flows(&mut self, names: &[Py<PyAny>], flows: &FlowColumns) -> PyResult<()> {
        self.add("flows.time", &flows.time)?;
        self.add_texts("flows.flow", flows.flow.iter().map(|&flow| &names[flow]))?;
        self.add("flows.latency", &flows.latency)?;
        self.add("flows.reorder_buffer", &flows.reorder_buffer)
    }

    fn add_paths(
        &mut self,
        flow_names: &[Py<PyAny>],
        scenario: &Scenario,
        paths: &PathColumns,
    ) -> PyResult<()> {
        let names: Vec<_> = scenario.flows.values().map(|flow| self.texts(flow.paths())).collect();
        let path = paths.flow.iter().zip(&paths.path).map(|(&flow, &path)| &names[flow][path]);
        self.add("paths.time", &paths.time)?;
        self.add_texts("paths.flow", paths.flow.iter().map(|&flow| &flow_names[flow]))?;
        self.add_texts("paths.path", path)?;
        self.add("paths.cwnd", &paths.cwnd)?;
        self.add("paths.ssthresh", &paths.ssthresh)?;
        self.add("paths.srtt", &paths.srtt)?;
        self.add("paths.outstanding", &paths.outstanding)?;
        self.add("paths.weight", &paths.weight)?;
        self.add("paths.goodput", &paths.goodput)?;
        self.add("paths.throughput", &paths.throughput)?;
        self.add("paths.blocked_path", &paths.blocked.path)?;
        self.add("paths.blocked_window", &paths.blocked.window)?;
        self.add("paths.blocked_split_share", &paths.blocked.split_share)?;
        self.add("paths.blocked_receive_window", &paths.blocked.receive_window)?;
        self.add("paths.blocked_send_buffer", &paths.blocked.send_buffer)
    }

    fn add_links(&mut self, scenario: &Scenario, links: &LinkColumns) -> PyResult<()> {
        let names = self.texts(scenario.network.links.keys());
        self.add("links.time", &links.time)?;
        self.add_texts("links.link", links.link.iter().map(|&link| &names[link]))?;
        self.add("links.queue", &links.queue)
    }

    fn add(&mut self, name: &str, column: &[f64]) -> PyResult<()> {
        self.columns.set_item(name, PyArray1::from_slice(self.py, column))
    }

    fn add_texts<'a>(
        &mut self,
        name: &str,
        column: impl Iterator<Item = &'a Py<PyAny>>,
    ) -> PyResult<()> {
        let column = column.map(|text| text.clone_ref(self.py));
        self.columns.set_item(name, PyArray1::from_iter(self.py, column))
    }

    fn texts<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Vec<Py<PyAny>> {
        let names = names.into_iter();
        names.map(|name| PyString::new(self.py, name).into_any().unbind()).collect()
    }
}
