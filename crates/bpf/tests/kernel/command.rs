//! The command `manypath-kernel`.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Output, Stdio};

use manypath_bpf::testbed::{Family, Network, Transfer, counter, subflows};
use manypath_bpf::{Object, inventory};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::needs;
use crate::patience::{found, soon};

const PROGRAM: &str = env!("CARGO_BIN_EXE_manypath-kernel");

fn said(arguments: &str) -> Output {
    Command::new(PROGRAM).args(arguments.split(' ')).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `load` in a separate process, which is killed at the end of the test.
struct Loader(Child);

impl Loader {
    /// Returns when the algorithm is loaded.
    fn of(name: &str) -> Self {
        let child = Command::new(PROGRAM).args(["load", name]).stdout(Stdio::null()).spawn();
        let loader = Self(child.unwrap());
        soon("it is loaded", || !inventory::registered().unwrap().is_empty());
        loader
    }
}

impl Drop for Loader {
    /// Sends SIGKILL, so that it cannot clean up.
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_mistake_is_one_line_and_exit_code_2() {
    for (arguments, line) in [
        ("load lea", "there is no algorithm \"lea\": did you mean \"lia\"?"),
        ("load nowhere.bpf.o", "nowhere.bpf.o: it cannot be read: No such file"),
        (
            "load weighted:weight=2",
            "\"weighted:weight=2\" has parameters, and programs of the kernel",
        ),
        (
            "load weighted --weight 0",
            "invalid value '0' for '--weight <WEIGHT>': expected a number from 0.01",
        ),
        (
            "status --every never",
            "invalid value 'never' for '--every <TIME>': expected a time such as 1 s, from 10 ms to",
        ),
        ("frobnicate", "unrecognized subcommand 'frobnicate'; Usage: manypath-kernel <check|list|"),
        ("statsu", "unrecognized subcommand 'statsu'; tip: a similar subcommand exists: 'status'"),
        ("load lia mp_lia", "\"mp_lia\" is given twice, expected it once"),
        ("load /etc/hostname.o", "/etc/hostname.o: it cannot be read: No such file"),
        ("load weighted --weight -inf", "invalid value '-inf' for '--weight <WEIGHT>'"),
        ("load", "the following required arguments were not provided: <NAMES>...; Usage: "),
    ] {
        let output = said(arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.starts_with(&format!("manypath-kernel: {line}")), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    assert!(Object::named("lia").is_ok());
    let empty = Command::new(PROGRAM).args(["default", ""]).output().unwrap();
    let error = text(&empty.stderr);
    assert_eq!(empty.status.code(), Some(2), "{error}");
    assert!(error.starts_with("manypath-kernel: there is no congestion control \"\": "), "{error}");
    assert!(text(&said("--help").stdout).contains("unload"));
}

#[test]
fn a_file_that_is_no_compiled_program_is_refused_before_the_kernel_reads_it() {
    let file = std::env::temp_dir().join(format!("manypath-{}.o", std::process::id()));
    fs::write(&file, "int main;").unwrap();
    let said = Object::named(file.to_str().unwrap()).unwrap_err();
    fs::remove_file(&file).unwrap();
    let line =
        format!("{}: it is no ELF file, expected a compiled program, such as", file.display());
    assert!(said.to_string().starts_with(&line) && said.exit_code() == 2, "{said}");
}

#[test]
fn a_command_that_cannot_be_started_has_the_exit_code_of_shells() {
    for (command, code, reason) in [
        ("no-such-program", 127, "no folder of PATH has this program"),
        ("/", 126, "it is a folder, expected a program"),
        ("/dev/null", 126, "it is not executable, expected a program"),
    ] {
        let output = said(&format!("run --cc lia -- {command}"));
        let line = format!("manypath-kernel: COMMAND is {command:?}: {reason}\n");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(code), line));
    }
}

#[test]
fn a_full_standard_error_does_not_change_the_exit_code() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(PROGRAM).args(["load", "lea"]).stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn names_alone_are_listed_without_root() {
    let names = text(&said("list --names").stdout);
    assert_eq!(names.lines().count(), 10);
    assert!(names.lines().any(|name| name == "lia-eunice"), "{names}");
}

#[test]
fn check_finds_everything_on_a_machine_that_runs_these_tests() {
    let Some(_turn) = needs::turn() else { return };
    let output = said("check");
    assert!(output.status.success(), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("algorithms that it takes: 10 of 10"));
    assert!(text(&output.stdout).contains("control groups of version 2, for `run`: "));
}

#[test]
fn a_loader_ends_with_the_process_that_holds_its_input() {
    let Some(_turn) = needs::turn() else { return };
    let mut command = Command::new(PROGRAM);
    command.args(["load", "lia", "--until-eof"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    soon("it is loaded", || !inventory::registered().unwrap().is_empty());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(inventory::registered().unwrap().is_empty());
}

#[test]
fn algorithms_of_other_processes_are_listed_and_unloaded_only_on_request() {
    let Some(_turn) = needs::turn() else { return };
    let loader = Loader::of("lia");
    let keeper = format!("process {} (manypath-kernel)", loader.0.id());
    let listed = text(&said("list").stdout);
    assert!(listed.contains(&format!("kept by {keeper}\n")), "{listed}");
    let refused = said("unload");
    assert_eq!(refused.status.code(), Some(2));
    let line = "manypath-kernel: a name or --all is missing (loaded: mp_lia)\n";
    assert_eq!(text(&refused.stderr), line);
    assert_eq!(inventory::registered().unwrap().len(), 1);
    let done = text(&said("unload --all").stdout);
    assert_eq!(done, format!("mp_lia is unloaded, which {keeper} had kept\n"));
    assert!(inventory::registered().unwrap().is_empty());
}

#[test]
fn connections_continue_after_the_loader_is_killed() {
    let Some(_turn) = needs::turn() else { return };
    let loader = Loader::of("olia");
    let network =
        Network::shared(2, Family::V4, Some("rate 20mbit burst 3100 limit 60000")).unwrap();
    let running = Transfer::new("mp_olia").start(&network).unwrap();
    // A later subflow would not find the name.
    soon("both subflows are made", || subflows(&network.sender, "mp_olia").unwrap().len() == 2);
    drop(loader);
    soon("the name is gone", || inventory::registered().unwrap().is_empty());
    let before = running.received();
    soon("another 3 MB have arrived", || running.received() > before + 3_000_000);
    let after = running.received();
    // Multipath TCP looks the name up only later, with its first subflow.
    let refused = Transfer::new("mp_olia").over_tcp().to_port(5002).run(&network).unwrap_err();
    assert!(refused.to_string().contains("No such file"), "{refused}");
    assert!(running.stop().unwrap().received > after);
}

#[test]
fn a_pinned_algorithm_is_the_default_until_it_is_unloaded() {
    let Some(_turn) = needs::turn() else { return };
    assert!(said("load lia --pin").status.success());
    let network =
        Network::shared(2, Family::V4, Some("rate 20mbit burst 3100 limit 60000")).unwrap();
    let inside = |arguments: &str| network.sender.run(&format!("{PROGRAM} {arguments}")).unwrap();
    let refused = said("load lia");
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
    inside("default lia");
    assert_eq!(inside("default").trim(), "mp_lia");

    let running = Transfer::with_default().start(&network).unwrap();
    let alpha = found("a status of two subflows at more than 1 Mbit/s", || {
        let status: serde_json::Value = serde_json::from_str(&inside("status --json")).unwrap();
        let connection = &status["algorithms"][0]["connections"][0];
        let rate = |subflow: usize| connection["subflows"][subflow]["rate_bit_per_s"].as_f64();
        let is_sought = rate(0) > Some(1e6) && rate(1).is_some();
        if is_sought { Ok(connection["alpha"].as_f64().unwrap()) } else { Err(status) }
    });
    assert!(alpha > 0.0);
    let table = inside("status");
    running.stop().unwrap();
    assert_eq!(table.lines().filter(|line| line.starts_with("mp_lia")).count(), 2, "{table}");

    let unloaded = inside("unload lia");
    assert!(unloaded.contains("reno is the default"), "{unloaded}");
    assert_eq!(inside("default").trim(), "reno");
    assert!(inventory::registered().unwrap().is_empty());
}

/// The mounts at the folder of pins, from `/proc/mounts`.
fn mounts_for_pins() -> Vec<String> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    mounts.lines().filter(|line| line.contains(" /sys/fs/bpf ")).map(str::to_owned).collect()
}

#[test]
fn unloading_the_last_pin_removes_only_the_created_mount_and_folder() {
    let Some(_turn) = needs::turn() else { return };
    let before = mounts_for_pins();
    assert!(said("load lia olia --pin").status.success());
    assert!(said("unload lia").status.success());
    assert!(fs::exists("/sys/fs/bpf/manypath/mp_olia").unwrap());
    assert!(said("unload olia").status.success());
    assert!(!fs::exists("/sys/fs/bpf/manypath").unwrap());
    assert_eq!(mounts_for_pins(), before);
    if before.is_empty() {
        // A file system that another program mounted is kept, with its pins.
        assert!(
            Command::new("mount")
                .args(["-t", "bpf", "bpf", "/sys/fs/bpf"])
                .status()
                .unwrap()
                .success()
        );
        fs::create_dir("/sys/fs/bpf/foreign").unwrap();
        let loaded = said("load lia --pin").status.success() && said("unload lia").status.success();
        let is_left = fs::exists("/sys/fs/bpf/foreign").unwrap();
        fs::remove_dir("/sys/fs/bpf/foreign").unwrap();
        let again = said("load lia --pin").status.success() && said("unload lia").status.success();
        let mounts = mounts_for_pins().len();
        assert!(Command::new("umount").arg("/sys/fs/bpf").status().unwrap().success());
        assert!(loaded && again);
        assert_eq!((is_left, mounts), (true, 1));
    }
}

#[test]
fn a_closed_pipe_ends_a_list_silently() {
    let Some(_turn) = needs::turn() else { return };
    for arguments in ["list", "check", "default"] {
        let mut command = Command::new(PROGRAM);
        command.args([arguments]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), text(&ended.stderr).as_str()), (Some(0), ""));
    }
}

#[test]
fn the_template_for_ones_own_algorithm_loads_from_its_file_and_carries_a_transfer() {
    let Some(_turn) = needs::kernel() else { return };
    let mine = needs::load(concat!(env!("OUT_DIR"), "/mine.bpf.o"));
    let network =
        Network::shared(2, Family::V4, Some("rate 20mbit burst 3100 limit 60000")).unwrap();
    let running = Transfer::new(mine.name()).start(&network).unwrap();
    soon("both subflows have a slot", || {
        mine.connections().unwrap().first().is_some_and(|it| it.slots.len() == 2)
    });
    running.stop().unwrap();
}

#[test]
fn an_unknown_default_changes_nothing_and_is_not_stored() {
    let Some(_turn) = needs::turn() else { return };
    let noted = || fs::read_dir("/run/manypath").map_or(0, Iterator::count);
    let before = (text(&said("default").stdout), noted());
    let refused = said("default nowhere");
    assert_eq!(refused.status.code(), Some(2));
    let error = text(&refused.stderr);
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains("there is no congestion control \"nowhere\": known: "), "{error}");
    let meant = text(&said("default ren").stderr);
    assert!(meant.contains("\"ren\": did you mean \"reno\"?"), "{meant}");
    assert_eq!((text(&said("default").stdout), noted()), before);
}

#[test]
fn a_command_ends_when_its_runner_is_signalled() {
    let Some(_turn) = needs::turn() else { return };
    let words = ["run", "--cc", "lia", "--", "sh", "-c", "echo here; exec sleep 1000"];
    let mut child = Command::new(PROGRAM).args(words).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 5];
    child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
    soon("it holds signals back, to hand them on", || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
        let signals = u64::from_str_radix(blocked.trim(), 16).unwrap();
        signals & 1 << (Signal::SIGTERM as u32 - 1) != 0
    });
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    assert!(inventory::registered().unwrap().iter().all(|it| it.name != "mp_lia"));
}

/// The program chooses no congestion control and sends two megabytes.
#[test]
fn only_the_command_uses_the_algorithm() {
    let Some(_turn) = needs::turn() else { return };
    let network =
        Network::shared(2, Family::V4, Some("rate 10mbit burst 3100 limit 60000")).unwrap();
    let target = network.receiver_address();
    let listener = network.listen(5004).unwrap();
    let sink = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        listener.accept().unwrap().0.read_to_end(&mut bytes).unwrap();
        bytes.len()
    });
    let script = format!(
        "import socket, subprocess, time\ns = socket.socket(proto=262)\ns.connect(('{target}', 5004))\n\
         s.sendall(bytes(2000000))\nuntil = time.monotonic() + 60\n\
         while (ss := subprocess.getoutput('ss -tinO')).count(' mp_balia ') < 2 and time.monotonic() < until:\n \
         time.sleep(0.1)\nprint(ss)"
    );
    let output = network.sender.inside(move || {
        Command::new(PROGRAM)
            .args(["run", "--cc", "balia", "--", "python3", "-c", &script])
            .output()
            .unwrap()
    });
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(sink.join().unwrap(), 2_000_000);
    let sockets = text(&output.stdout);
    assert_eq!(sockets.lines().filter(|line| line.contains(" mp_balia ")).count(), 2, "{sockets}");
    assert_eq!(counter(&network.sender, "MPTcpExt", "MPJoinSynAckRx").unwrap(), 1);
    assert!(inventory::registered().unwrap().is_empty());
    let groups = fs::read_to_string("/proc/self/mounts").unwrap();
    let mount = groups.lines().find(|line| line.contains(" cgroup2 ")).unwrap();
    let folder = fs::read_dir(mount.split(' ').nth(1).unwrap()).unwrap();
    let left = folder
        .filter(|it| it.as_ref().unwrap().file_name().to_string_lossy().starts_with("manypath-"));
    assert_eq!(left.count(), 0);
}
