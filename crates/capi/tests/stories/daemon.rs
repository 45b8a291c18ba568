//! A daemon in a thread of the test, as `manypath-net serve` has it.

use crate::program::network;
use manypath_net::Endpoint;
use manypath_serve::{self as serve, Limits, Settings};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;

pub(crate) struct Daemon {
    /// The path of its Unix socket.
    pub(crate) path: PathBuf,
    /// Its address is the first of this network.
    pub(crate) network: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _folder: TempDir,
}

impl Daemon {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, network) = (folder.path().join("socket"), network());
        let settings = Settings {
            path: path.clone(),
            builder: Endpoint::builder(),
            local: vec![format!("{network}1").parse().expect("an address")],
            encapsulation: Some(9899),
            most_sockets: 16,
            group: None,
            limits: Limits::default(),
        };
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let daemon = serve::Daemon::start(settings).expect("a daemon");
                ready.send(()).expect("the test waits");
                let _ = stopped.await;
                daemon.drain(Duration::from_secs(2)).await;
            });
        });
        started.recv().expect("it starts");
        Self { path, network, stop: Some(stop), thread: Some(thread), _folder: folder }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().expect("it runs").join();
        assert!(ended.is_ok() || std::thread::panicking(), "the daemon panicked");
    }
}
