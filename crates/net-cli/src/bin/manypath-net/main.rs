//! `manypath-net`: SCTP between real machines, from the command line.

mod addresses;
mod arguments;
mod config_file;
mod failure;
mod listen;
mod local;
mod output;
mod patience;
mod perf;
mod progress;
mod protocol;
mod receive;
mod send;
mod service_manager;
mod signals;
mod silence;
mod sockets;
mod stop;
mod watch;

use std::io;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use arguments::{Arguments, Task};
use config_file::Unparsed;
use failure::Failure;
use signals::Blocked;
use stop::Stop;
use watch::Watch;

fn main() -> ExitCode {
    let (arguments, name_file) = match config_file::parse(std::env::args_os().collect()) {
        Ok(parsed) => parsed.split(),
        Err(Unparsed::Line(error)) => return manypath_program::answer(&error, "error"),
        Err(Unparsed::File(failure)) => return end(failure),
    };
    run(arguments).map_err(name_file).unwrap_or_else(end)
}

/// Prints a failure; returns the exit code.
fn end(mut failure: Failure) -> ExitCode {
    failure.tell();
    ExitCode::from(failure.code)
}

/// Fails if the system refuses a thread or some descriptors: tokio would panic later.
fn check_resources() -> Result<(), Failure> {
    let threads = |error| Failure::broken(format!("threads: {error}"));
    // The thread does nothing and returns nothing; only its start may fail
    let _ = thread::Builder::new().spawn(|| ()).map_err(threads)?.join();
    let files: io::Result<Vec<_>> = (0..LEAST_FILES / 2).map(|_| UnixStream::pair()).collect();
    files.map(drop).map_err(|error| {
        Failure::broken(format!("files: {error}: `ulimit -n` must allow {LEAST_FILES} more"))
    })
}

/// Runs the task until it completes, or until a signal ends it.
fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    arguments.task.check()?;
    let blocked = Blocked::begin(arguments.task.signals())?;
    check_resources()?;
    let mut runtime = if arguments.task.has_one_thread() {
        tokio::runtime::Builder::new_current_thread()
    } else {
        tokio::runtime::Builder::new_multi_thread()
    };
    let runtime = runtime
        .enable_all()
        .build()
        .map_err(|error| Failure::broken(format!("threads: {error}")))?;
    let done = runtime.block_on(async {
        let (signals, heard) = blocked.read()?;
        let stop = Stop::on(heard);
        let mut code = ExitCode::SUCCESS;
        let task = &arguments.task;
        let (watched, inputs) = (task.watched(), task.inputs());
        // Opening a pipe may block until there is a reader
        let watch = stop.clone().or_block(|| Watch::begin(watched, inputs)).await?;
        let done = match arguments.task {
            Task::Listen(listen) => listen::run(*listen, stop, &watch).await,
            Task::Send(send) => send::run(send, stop, &watch).await,
            Task::Receive(receive) => receive::run(receive, stop, &watch).await,
            Task::Perf(perf) => perf::run(*perf, stop, &watch).await,
            Task::Serve(serve) => sockets::serve(*serve, stop, &signals, &watch).await,
            Task::Run(run) => match sockets::run(*run, stop, &signals, &watch).await {
                Ok(ended) => {
                    code = ended;
                    Ok(())
                }
                Err(failure) => Err(failure),
            },
        };
        done.and(watch.finish()).and(output::finish()).map(|()| code)
    });
    // Threads that write an abandoned file remove it
    runtime.shutdown_timeout(Duration::from_secs(2));
    done
}

/// The descriptors that each task needs, beside those of the program's start.
const LEAST_FILES: usize = 16;

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_usage_names_every_command() {
        let mut command = Arguments::command();
        let names: Vec<_> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
        let usage = command.render_usage().to_string();
        assert!(usage.contains(&format!("<{}>", names.join("|"))), "{usage}");
    }
}
