//! Samples and changes over time as numpy columns.

use manypath_lab::{
    ArrivalColumns, Changes, FlowColumns, LinkColumns, PathColumns, Scenario, Series, StateColumns,
    StreamColumns,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Columns by name, such as `paths.cwnd` and `links.queue`; names of flows, paths and links are strings.
pub(crate) fn columns<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    series: &Series,
) -> PyResult<Bound<'py, PyDict>> {
    let mut columns = Columns { py, columns: PyDict::new(py) };
    let names = columns.names(scenario);
    columns.add_flows(&names, &series.flows)?;
    columns.add_streams(&names, &series.streams)?;
    columns.add_paths(&names, &series.paths)?;
    columns.add_links(scenario, &series.links)?;
    Ok(columns.columns)
}

/// Columns of changes, with `arrivals` in addition to `paths` and `links`.
pub(crate) fn change_columns<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    changes: &Changes,
) -> PyResult<Bound<'py, PyDict>> {
    let mut columns = Columns { py, columns: PyDict::new(py) };
    let names = columns.names(scenario);
    columns.add_states(&names, &changes.paths)?;
    columns.add_arrivals(&names, &changes.arrivals)?;
    columns.add_links(scenario, &changes.links)?;
    Ok(columns.columns)
}

/// Names of the flows, each with those of its paths.
struct Names {
    flows: Vec<Py<PyAny>>,
    paths: Vec<Vec<Py<PyAny>>>,
}

struct Columns<'py> {
    py: Python<'py>,
    columns: Bound<'py, PyDict>,
}

impl<'py> Columns<'py> {
    fn add_flows(&mut self, names: &Names, flows: &FlowColumns) -> PyResult<()> {
        self.add("flows.time", &flows.time)?;
        self.add_texts("flows.flow", flows.flow.iter().map(|&flow| &names.flows[flow]))?;
        self.add("flows.latency", &flows.latency)?;
        self.add("flows.latency_p50", &flows.latency_p50)?;
        self.add("flows.latency_p95", &flows.latency_p95)?;
        self.add("flows.latency_p99", &flows.latency_p99)?;
        self.add("flows.reorder_buffer", &flows.reorder_buffer)
    }

    fn add_streams(&mut self, names: &Names, streams: &StreamColumns) -> PyResult<()> {
        self.add("streams.time", &streams.time)?;
        self.add_texts("streams.flow", streams.flow.iter().map(|&flow| &names.flows[flow]))?;
        let numbers = streams.stream.iter().map(|&stream| stream as u64);
        self.columns.set_item("streams.stream", PyArray1::from_iter(self.py, numbers))?;
        self.add("streams.messages", &streams.messages)?;
        self.add("streams.waited", &streams.waited)?;
        self.add("streams.waiting", &streams.waiting)?;
        self.add("streams.blocked", &streams.blocked)
    }

    fn add_paths(&mut self, names: &Names, paths: &PathColumns) -> PyResult<()> {
        self.add_states(names, &paths.states)?;
        self.add("paths.goodput", &paths.goodput)?;
        self.add("paths.throughput", &paths.throughput)?;
        for (limit, column) in paths.blocked.iter() {
            self.add(&format!("paths.blocked_{limit}"), column)?;
        }
        Ok(())
    }

    fn add_states(&mut self, names: &Names, states: &StateColumns) -> PyResult<()> {
        self.add("paths.time", &states.time)?;
        self.add_path_names("paths", names, &states.flow, &states.path)?;
        self.add("paths.cwnd", &states.cwnd)?;
        self.add("paths.ssthresh", &states.ssthresh)?;
        self.add("paths.srtt", &states.srtt)?;
        self.add("paths.outstanding", &states.outstanding)?;
        self.add("paths.weight", &states.weight)
    }

    fn add_arrivals(&mut self, names: &Names, arrivals: &ArrivalColumns) -> PyResult<()> {
        self.add("arrivals.time", &arrivals.time)?;
        self.add_path_names("arrivals", names, &arrivals.flow, &arrivals.path)?;
        self.add("arrivals.received_bytes", &arrivals.received_bytes)
    }

    fn add_path_names(
        &mut self,
        kind: &str,
        names: &Names,
        flows: &[usize],
        paths: &[usize],
    ) -> PyResult<()> {
        let path = flows.iter().zip(paths).map(|(&flow, &path)| &names.paths[flow][path]);
        self.add_texts(&format!("{kind}.flow"), flows.iter().map(|&flow| &names.flows[flow]))?;
        self.add_texts(&format!("{kind}.path"), path)
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

    fn names(&self, scenario: &Scenario) -> Names {
        let paths = scenario.flows.values().map(|flow| self.texts(flow.paths()));
        Names { flows: self.texts(scenario.flows.keys()), paths: paths.collect() }
    }

    fn texts<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Vec<Py<PyAny>> {
        let names = names.into_iter();
        names.map(|name| PyString::new(self.py, name).into_any().unbind()).collect()
    }
}
