//! The interface between Python and the laboratory: it converts documents and outcomes.

mod decode;
mod errors;
#[cfg(unix)]
mod net;
mod random;
mod registries;
mod run;
mod series;
mod stop;

use pyo3::prelude::*;

/// The laboratory's engine, compiled: documents in, outcomes out.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::decode::{Capture, DecodeError};
    #[pymodule_export]
    use crate::errors::{CaptureError, EventsError, RunError, ScenarioError, SeriesError};
    #[cfg(unix)]
    #[pymodule_export]
    use crate::net::{
        SctpAssociation, SctpEndpoint, SctpError, SctpEvents, SctpOperation, sctp_counters,
    };
    #[pymodule_export]
    use crate::random::first_between;
    #[pymodule_export]
    use crate::registries::{
        algorithm_is_coupled, algorithm_mistake, algorithm_parameters, algorithms, counters,
        engine_version, events, has_debug_assertions, loss_models, nearest, profiles, queues,
        remedy, schedulers,
    };
    #[pymodule_export]
    use crate::run::{available_memory, check, check_series, ideal_rates, memory, run, run_batch};
    #[pymodule_export]
    use crate::stop::Stop;
}
