//! `manypath-net serve` and `manypath-net run`: SCTP sockets for programs that use the socket API of Linux.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::Permissions;
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::Duration;

use clap::Args;
use manypath_net::socket::register;
use manypath_net::{BoundAddress, Peer};
use manypath_program::{code_of, find, regular, tell, time, whole};
use manypath_serve::{Daemon, Limits, Settings};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Group, Pid};
use rustix::process::{PidfdFlags, Resource, Rlimit, getrlimit, pidfd_open, setrlimit};

use crate::addresses::builder;
use crate::failure::{Failure, Options};
use crate::local::{Local, port};
use crate::service_manager;
use crate::signals::{Heard, Signals};
use crate::stop::Stop;
use crate::watch::{Watch, Watched};

#[derive(Clone, Debug, Args)]
pub(crate) struct Serve {
    /// File in TOML with these options as keys, such as `limit = 100`. The command line has precedence.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Path of the Unix socket for programs: MANYPATH_SCTP_SOCKET in their environment. Programs of the same user and of
    /// root may open SCTP sockets.
    #[arg(long, value_name = "PATH", required_unless_present = "config")]
    socket: Option<PathBuf>,
    /// Group whose programs may open SCTP sockets, too.
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
    /// Largest number of sockets of one user, with the associations of its one-to-many sockets; by default that of all
    /// users.
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true,
        value_parser = |text: &str| whole::<u32>(text, 1..=65_536))]
    limit_per_user: Option<u32>,
    /// Time that open associations have to end after a signal, before they are aborted, in seconds without a unit. A
    /// second signal aborts them at once.
    #[arg(long, value_name = "TIME", default_value = "1", allow_hyphen_values = true, value_parser = drain)]
    drain: Duration,
    #[command(flatten)]
    stack: Stack,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Run {
    /// The library that gives the program its sockets. By default libmanypath_preload.so beside this program.
    #[arg(long, value_name = "FILE")]
    preload: Option<PathBuf>,
    #[command(flatten)]
    stack: Stack,
    /// Program and its arguments.
    #[arg(
        value_name = "COMMAND",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    command: Vec<OsString>,
}

/// The protocol stack of all sockets.
#[derive(Clone, Debug, Args)]
struct Stack {
    /// Local addresses of the sockets, separated by commas. By default all addresses of the machine. Packets of
    /// ADDRESS%INTERFACE, such as 192.0.2.7%eth0, leave only on that interface.
    #[arg(long, value_name = "ADDRESS[%INTERFACE],...", value_delimiter = ',')]
    local: Vec<BoundAddress>,
    /// UDP port of listening sockets, and of peers.
    #[arg(long, value_name = "PORT", default_value_t = Peer::ENCAPSULATION_PORT, allow_hyphen_values = true,
        value_parser = port)]
    encapsulation: u16,
    /// Send packets directly in IP instead of UDP: needs root or CAP_NET_RAW.
    #[arg(long, conflicts_with = "encapsulation")]
    raw: bool,
    /// Congestion control; `manypath list` shows the names.
    #[arg(long, value_name = "NAME", default_value = "cmt-rpv2")]
    cc: String,
    /// Pace the packets of each path over its round-trip time, for fewer losses in short queues.
    #[arg(long)]
    pacing: bool,
    /// Largest number of sockets.
    #[arg(long, value_name = "COUNT", default_value_t = 4096, allow_hyphen_values = true,
        value_parser = |text: &str| whole::<u32>(text, 1..=65_536))]
    limit: u32,
    /// Largest send buffer and largest receive buffer of an association, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT_BUFFER, allow_hyphen_values = true,
        value_parser = |text: &str| whole::<usize>(text, Limits::LEAST_BUFFER as u64..=Limits::LARGEST_BUFFER as u64))]
    buffer: usize,
    #[command(flatten)]
    watched: Watched,
}

impl Serve {
    /// The local addresses.
    pub(crate) fn local(&self) -> &Vec<BoundAddress> {
        &self.stack.local
    }

    pub(crate) fn watched(&self) -> Watched {
        self.stack.watched.clone()
    }
}

impl Run {
    /// The local addresses.
    pub(crate) fn local(&self) -> &Vec<BoundAddress> {
        &self.stack.local
    }

    pub(crate) fn watched(&self) -> Watched {
        self.stack.watched.clone()
    }
}

/// Serves programs until stopped by a signal.
pub(crate) async fn serve(
    serve: Serve,
    mut stop: Stop,
    signals: &Signals,
    watch: &Watch,
) -> Result<(), Failure> {
    let Serve { socket, group, limit_per_user, drain, stack, .. } = serve;
    let missing = "`--socket` is missing, expected the path of the Unix socket for programs";
    let socket = socket.ok_or_else(|| Failure::input(missing))?;
    let access = Access { group: group.as_deref().map(group_number).transpose()?, limit_per_user };
    let daemon = start(&stack, ("`--socket`", &socket), access, watch)?;
    watch.begins(&daemon)?;
    open_more_files();
    tell(&format!("sockets at {}", socket.display()));
    service_manager::tell(service_manager::READY);
    stop.requested().await;
    service_manager::tell(service_manager::STOPPING);
    daemon.open_no_more();
    let in_time = daemon.drain(drain);
    Stop::on(signals.hear()).or_instead(in_time, daemon.drain(Duration::ZERO)).await;
    Ok(())
}

/// The time for `--drain`.
fn drain(text: &str) -> Result<Duration, String> {
    time(text, 0.0..=86_400.0, ["0", "86400 s"])
}

/// The group whose members may open SCTP sockets, and the limit of each user.
#[derive(Clone, Copy, Debug, Default)]
struct Access {
    /// The number of a group.
    group: Option<u32>,
    limit_per_user: Option<u32>,
}

/// The number of a group.
fn group_number(name: &str) -> Result<u32, Failure> {
    match Group::from_name(name) {
        Ok(Some(group)) => Ok(group.gid.as_raw()),
        Ok(None) => Err(Failure::input(format!(
            "`--group` is {name:?}, expected a group of this machine: getent group lists them"
        ))),
        Err(errno) => Err(Failure::broken(format!("groups of this machine: {errno}"))),
    }
}

/// Raises the limit of open files to what the system allows: each socket needs up to four descriptors.
fn open_more_files() {
    let limit = getrlimit(Resource::Nofile);
    // Without it, the daemon has fewer sockets
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Runs a program with sockets of this process; returns its exit code, or 128 and the number of its signal.
pub(crate) async fn run(
    run: Run,
    mut stop: Stop,
    signals: &Signals,
    watch: &Watch,
) -> Result<ExitCode, Failure> {
    // Those that arrive before the program runs are passed later
    let heard = signals.hear();
    let (program, arguments) =
        run.command.split_first().ok_or_else(|| Failure::input("COMMAND is missing"))?;
    let program = find(program)?;
    let library = library(run.preload)?;
    // A program that changes to another user must still reach the Unix socket
    let reachable = Permissions::from_mode(0o711);
    let place = std::env::temp_dir();
    let folder = tempfile::Builder::new().permissions(reachable).tempdir_in(&place);
    let folder = folder.map_err(|error| {
        let expected = "expected a folder for a Unix socket";
        Failure::input(format!("`TMPDIR` is {}, {expected}: {error}", place.display()))
    })?;
    let socket = folder.path().join("socket");
    let daemon = start(&run.stack, ("the socket in `TMPDIR`", &socket), Access::default(), watch)?;
    watch.serve_metrics(&daemon)?;
    let mut command = Command::new(&program.file);
    command
        .arg0(&program.name)
        .args(arguments)
        .env(ENVIRONMENT, &socket)
        .env(LD_PRELOAD, preloaded(std::env::var_os(LD_PRELOAD), &library));
    signals.blocked().restore_in(&mut command);
    let mut child = command.spawn().map_err(|error| program.refused(&error))?;
    watch.keep_files();
    // The program keeps its own limit
    open_more_files();
    let id = Pid::from_raw(child.id().cast_signed());
    let status = tokio::select! {
        status = end(&mut child) => status?,
        never = pass(heard, id) => match never {},
    };
    stop.or_instead(daemon.drain(LONG), daemon.drain(SHORT)).await;
    Ok(ExitCode::from(code_of(status)))
}

/// Starts a daemon. Its socket has a name for messages.
fn start(
    stack: &Stack,
    (name, socket): (&str, &Path),
    access: Access,
    watch: &Watch,
) -> Result<Daemon, Failure> {
    let local = Local {
        bind: stack.local.clone(),
        port: 0,
        raw: stack.raw,
        cc: stack.cc.clone(),
        pacing: stack.pacing,
        watched: Watched::default(),
    };
    let builder = builder(&local, stack.encapsulation);
    let options = Options { local: "`--local`", udp: "`--encapsulation`", socket: name };
    builder.check().map_err(|error| Failure::of(&error, &options))?;
    let settings = Settings {
        path: socket.to_owned(),
        builder: watch.attach(builder),
        local: stack.local.iter().map(|bound| bound.address).collect(),
        encapsulation: (!stack.raw).then_some(stack.encapsulation),
        most_sockets: stack.limit as usize,
        limits: Limits {
            sockets_per_user: access.limit_per_user.map(|limit| limit as usize),
            buffer: stack.buffer,
        },
        group: access.group,
    };
    Daemon::start(settings).map_err(|error| Failure::of(&error, &options))
}

/// The library for programs.
fn library(named: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let found = match named {
        Some(file) => file,
        None => beside_this_program()?,
    };
    let option = "--preload";
    let (mut file, _) = regular(Some(option), &found)?;
    // The dynamic linker resolves it in the program's folder
    let path = found.canonicalize()?;
    // ld.so(8)
    if path.as_os_str().as_bytes().iter().any(|byte| b" :".contains(byte)) {
        return Err(Failure::input(format!(
            "`{option}` is {}, expected a path without spaces and colons, which separate the paths in LD_PRELOAD",
            path.display()
        )));
    }
    // The dynamic linker would ignore it, and the program would have other sockets
    let mut first = [0; ELF.len()];
    if file.read_exact(&mut first).is_err() || first != *ELF {
        let message = format!("`{option}` is {}, expected a shared library", found.display());
        return Err(Failure::input(message));
    }
    Ok(path)
}

/// The library where it is installed.
fn beside_this_program() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
    places.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        let missing = format!("there is no {LIBRARY} beside this program");
        Failure::input(format!("`--preload` is missing, and {missing}: name its file"))
    })
}

/// `LD_PRELOAD` with our library after those that are there.
fn preloaded(before: Option<OsString>, library: &Path) -> OsString {
    let mut all = before.filter(|text| !text.is_empty()).unwrap_or_default();
    if !all.is_empty() {
        all.push(":");
    }
    all.push(library);
    all
}

/// Waits for the end of a program.
async fn end(child: &mut Child) -> io::Result<ExitStatus> {
    let process =
        register(pidfd_open(rustix::process::Pid::from_child(child), PidfdFlags::empty())?)?;
    // Readable from the end of the process on. pidfd_open(2)
    drop(process.readable().await?);
    child.wait()
}

/// Passes signals to a program until the future is dropped. A terminal sends SIGINT and SIGQUIT to the program too.
async fn pass(mut heard: Heard, program: Pid) -> Infallible {
    let from_terminal = io::stdin().is_terminal();
    loop {
        let signal = heard.next().await;
        if !(from_terminal && matches!(signal, Signal::SIGINT | Signal::SIGQUIT)) {
            // Fails only if the program has ended
            let _ = kill(program, signal);
        }
    }
}

/// The first bytes of a library. elf(5)
const ELF: &[u8; 4] = b"\x7fELF";
const LIBRARY: &str = "libmanypath_preload.so";
const LD_PRELOAD: &str = "LD_PRELOAD";
/// The variable with the path of the Unix socket.
const ENVIRONMENT: &str = manypath_posix::record::ENVIRONMENT;
/// Time for shutting associations down after the program has ended.
const LONG: Duration = Duration::from_secs(20);
/// The same after a signal.
const SHORT: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_preloaded_libraries_stay_in_front() {
        let library = Path::new("/lib/ours.so");
        assert_eq!(preloaded(None, library), "/lib/ours.so");
        assert_eq!(preloaded(Some("".into()), library), "/lib/ours.so");
        assert_eq!(preloaded(Some("/lib/a.so".into()), library), "/lib/a.so:/lib/ours.so");
    }
}
