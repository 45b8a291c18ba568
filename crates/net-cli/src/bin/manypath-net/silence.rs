//! Lines about the paths of a transfer that stop answering, and answer again.

use std::collections::HashSet;
use std::net::IpAddr;

use manypath_net::{Association, Event};

use crate::progress::tell_above;

/// Runs a task, and tells meanwhile which paths of its association do not answer, and which do so again.
///
/// A transfer goes on over its other paths, so that nothing else says it before the shares at its end.
pub(crate) async fn telling_silence<T>(
    association: &Association,
    task: impl Future<Output = T>,
) -> T {
    let mut events = association.events();
    let mut silent = Silent::default();
    let told = async {
        while let Some(event) = events.next().await {
            if let Some(line) = silent.line(&event) {
                tell_above(&line);
            }
        }
        std::future::pending().await
    };
    tokio::pin!(task);
    tokio::select! {
        // A path fails before its association does
        biased;
        never = told => never,
        done = &mut task => done,
    }
}

/// The paths that do not answer.
#[derive(Debug, Default)]
struct Silent(HashSet<(IpAddr, IpAddr)>);

impl Silent {
    /// The line about an event, if it begins or ends the silence of a path.
    fn line(&mut self, event: &Event) -> Option<String> {
        match *event {
            Event::PathPotentiallyFailed { local, remote } | Event::PathDown { local, remote } => {
                self.0.insert((local, remote)).then(|| told(local, remote, "does not answer"))
            }
            Event::PathUp { local, remote } => {
                self.0.remove(&(local, remote)).then(|| told(local, remote, "answers again"))
            }
            _ => None,
        }
    }
}

fn told(local: IpAddr, remote: IpAddr, what: &str) -> String {
    format!("path {local} -> {remote}: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_has_a_line_at_its_begin_and_one_at_its_end() {
        let (local, remote) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let mut silent = Silent::default();
        let events = [
            (Event::PathUp { local, remote }, None),
            (Event::SenderDry, None),
            (Event::PathPotentiallyFailed { local, remote }, Some("does not answer")),
            (Event::PathDown { local, remote }, None),
            (Event::PathUp { local: remote, remote: local }, None),
            (Event::PathUp { local, remote }, Some("answers again")),
            (Event::PathUp { local, remote }, None),
            (Event::PathDown { local, remote }, Some("does not answer")),
        ];
        for (event, what) in events {
            let line = what.map(|it| format!("path 192.0.2.1 -> 192.0.2.2: {it}"));
            assert_eq!(silent.line(&event), line, "{event:?}");
        }
    }
}
