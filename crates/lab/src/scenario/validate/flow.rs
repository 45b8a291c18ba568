//! The requirements for every flow, independently of its protocol.

use manypath_cc as cc;
use manypath_link::DocumentError;

use super::{ascending, within_bytes};
use crate::scenario::{Application, Flow, Network};

impl Flow {
    /// Checks the fields of this flow, which `field` names.
    pub(super) fn validate(
        &self,
        field: &dyn Fn(&str) -> String,
        network: &Network,
    ) -> Result<(), DocumentError> {
        self.validate_paths(&field("paths"), network)?;
        cc::algorithm(self.cc()).map_err(|error| no_algorithm(&field("cc"), error))?;
        match self {
            Self::Sctp(flow) => flow.validate(field)?,
            Self::Tcp(flow) => flow.validate(field)?,
            Self::Mptcp(flow) => flow.tcp().validate_settings(field)?,
        }
        let start = self.start();
        ascending(&field("start"), &[("earliest", start.earliest), ("latest", start.latest)])?;
        self.validate_messages(field)?;
        self.validate_pace(field)
    }

    fn validate_paths(&self, field: &str, network: &Network) -> Result<(), DocumentError> {
        let paths = self.paths();
        if paths.is_empty() || paths.len() > MAX_PATHS {
            let expected = format!("1 to {MAX_PATHS} names of paths");
            return Err(DocumentError::value(field, format!("{} paths", paths.len()), expected));
        }
        network.validate_paths(field, paths)
    }

    fn validate_messages(&self, field: &dyn Fn(&str) -> String) -> Result<(), DocumentError> {
        let (size, longest) = (self.app().message(), field("app.message.max"));
        ascending(&field("app.message"), &[("min", size.min), ("max", size.max)])?;
        within_bytes(field("app.message.min"), size.min.into(), 1, MAX_MESSAGE)?;
        within_bytes(longest.clone(), size.max.into(), 1, MAX_MESSAGE)?;
        for (leaf, buffer) in
            [("send_buffer", self.send_buffer()), ("receive_buffer", self.receive_buffer())]
        {
            if u64::from(size.max) > buffer {
                let expected = format!("at most `{}`, which is {buffer} bytes", field(leaf));
                let value = format!("{} bytes", size.max);
                return Err(DocumentError::value(longest, value, expected));
            }
        }
        Ok(())
    }

    fn validate_pace(&self, field: &dyn Fn(&str) -> String) -> Result<(), DocumentError> {
        let app = self.app();
        let longest = u64::from(app.message().max);
        if app.size() < longest {
            let expected =
                format!("at least `{}`, which is {longest} bytes", field("app.message.max"));
            let value = format!("{} bytes", app.size());
            return Err(DocumentError::value(field("app.size"), value, expected));
        }
        let (Application::Cbr { rate, .. } | Application::OnOff { rate, .. }) = app else {
            return Ok(());
        };
        if rate.bits_per_second() == 0 {
            return Err(DocumentError::value(field("app.rate"), rate, "more than 0 bit/s"));
        }
        let Application::OnOff { on, .. } = app else { return Ok(()) };
        let longest = rate.time_for(app.message().max.into()).0;
        if *on < longest {
            let expected = format!("at least {longest}, which the longest message takes");
            return Err(DocumentError::value(field("app.on"), on, expected));
        }
        Ok(())
    }
}

fn no_algorithm(flow: &str, error: cc::AlgorithmError) -> DocumentError {
    match error {
        cc::AlgorithmError::Unknown(error) => unknown(flow.to_owned(), &error),
        cc::AlgorithmError::Value { field, value, expected } => {
            DocumentError::value(format!("{flow}: {field}"), value, expected)
        }
    }
}

pub(super) fn unknown(field: String, error: &cc::UnknownName) -> DocumentError {
    DocumentError::unknown(field, &error.name, &error.kind, error.known.iter().copied())
}

/// The largest number of paths: that of an association, for connections too.
const MAX_PATHS: usize = manypath_sctp::Endpoint::MOST_PATHS;
const MAX_MESSAGE: u64 = crate::payload::MAX_MESSAGE as u64;
