"""The wheel is complete: each command works in a new environment without the sources.

`make test-wheel` builds the wheel of the test build and names it in MANYPATH_WHEEL. `make test-long` tests all of the
wheel that users get.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from environment import install

ROOT = Path(__file__).parents[2]

NAMED = os.environ.get("MANYPATH_WHEEL")

pytestmark = pytest.mark.skipif(NAMED is None, reason="make test-wheel builds a wheel and tests it")

WHEEL = (ROOT / (NAMED or "")).resolve()

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="needs root for network namespaces or kernel programs",
)

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="the wheel has these programs for Linux only")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs in an environment with the wheel."""
    return install(WHEEL, tmp_path_factory.mktemp("clean") / "environment")


@pytest.fixture
def call(programs: Path, tmp_path: Path):
    """Return a function that runs a program of the environment in an empty folder and returns its output."""
    environment = {"PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(tmp_path), "COLUMNS": "100"}

    def called(name: str, *words: str) -> str:
        done = subprocess.run(
            [programs / name, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{name} {' '.join(words)}: {done.stderr}"
        return done.stdout

    return called


def test_the_package_comes_from_the_wheel_and_not_from_the_sources(call):
    where = call("python", "-c", "import manypath; print(manypath.__file__)")
    assert "/environment/" in where
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert call("manypath", "--version").startswith(f"manypath {version}, engine ")


def test_every_file_of_the_package_is_in_the_wheel():
    package = ROOT / "python"
    sources = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    missing = sources - set(zipfile.ZipFile(WHEEL).namelist())
    assert not {path for path in missing if not path.endswith(".pyc")}


def test_every_example_is_in_the_package():
    examples = {path.name for path in (ROOT / "examples").iterdir() if path.is_file()}
    assert {path.name for path in (ROOT / "python/manypath/examples").iterdir()} == examples


def test_the_example_of_the_readme_runs(call):
    (example,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    printed = call("python", "-c", example)
    assert re.search(r"^cmt +\d+\.\d+$", printed, re.MULTILINE)


def test_examples_are_written_and_run(call, tmp_path: Path):
    call("manypath", "examples")
    assert (tmp_path / "examples/second_path.ipynb").is_file()
    scenario = tmp_path / "examples/two_paths.toml"
    scenario.write_text(scenario.read_text().replace('"100 s"', '"2 s"').replace('at = "60 s"', 'at = "21 s"'))
    assert "digest" in call("manypath", "run", str(scenario))
    for name, kind in [("two_paths", "scenario"), ("sweep", "sweep"), ("emulate_two_paths", "emulation")]:
        assert (tmp_path / f"examples/{name}.toml").read_text().startswith(f"#:schema ./{kind}.schema.json\n")
        assert json.loads((tmp_path / f"examples/{kind}.schema.json").read_text())["$schema"]


@pytest.mark.long
def test_a_paper_is_run_and_reported_with_figures(call, tmp_path: Path):
    figure = ("gonzalez2012_mptcp", "--figure", "2", "--runs", "2")
    call("manypath", "papers", *figure)
    assert (tmp_path / "report/figures/gonzalez2012_mptcp/figure2.svg").is_file()
    shutil.rmtree(tmp_path / "report")
    call("manypath", "report", *figure)
    page = (tmp_path / "report/gonzalez2012_mptcp.html").read_text()
    assert "</svg>" in page
    # Texts from the README, the template and the style sheet of the package.
    assert "windows grow" in page
    assert "--series-1" in page


@pytest.mark.parametrize("paper", ["dreibholz2010_asymmetric", "dreibholz2011_impact"])
def test_the_wheel_has_the_points_of_inet(call, paper: str):
    assert int(call("python", "-c", f"from manypath.papers.{paper} import inet; print(len(inet.inet_points()))")) > 0


DATA = """
import json
from manypath.papers import published
from manypath.papers.dreibholz2012_testbed import measured as d12
from manypath.papers.gonzalez2012_mptcp import measured as g12
from manypath.papers.reconstruction import result

tables = {name: published.load(name) for name in NAMES}
print(json.dumps({
    "published": sorted(name for name, table in tables.items() if table and table.claims),
    "reconstructed": sorted(name for name in NAMES if result.kept_result(name)),
    "measured": [len(d12.measurements()), len(g12.measurements())],
}))
"""
"""A program that reads the data of papers in the package."""


def test_the_data_of_papers_is_read_from_the_wheel(call):
    papers = ROOT / "python/manypath/papers"
    names = sorted(path.parent.name for path in papers.glob("*/paper.py"))
    found = json.loads(call("python", "-c", f"NAMES = {names!r}{DATA}"))
    for kind, file in (("published", "published.json"), ("reconstructed", "reconstruction.json")):
        assert found[kind] == sorted(path.parent.name for path in papers.glob(f"*/{file}")), kind
    assert all(found["measured"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["list"], "cmt-rpv2"),
        (["schema", "sweep"], "$schema"),
        pytest.param(["anchors", "single"], "hold", marks=pytest.mark.long),
        pytest.param(
            ["expect", "--path", "20 Mbit/s, 20 ms", "--runs", "2", "--measure", "1 s"],
            "simulated",
            marks=pytest.mark.long,
        ),
        (["measure", "--list"], "shared"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_works(call, words: list[str], message: str):
    assert message in call("manypath", *words)


def test_the_documentation_is_in_the_package(call):
    file = Path(call("manypath", "docs", "emulate", "--print").strip())
    assert file.parts[-4:] == ("manypath", "site", "how-to", "emulate.html")
    assert "<h1" in file.read_text()
    assert not list(file.parents[1].rglob("*.map")), "readers need no source maps"
    # The search of a page that was opened as a file, and of one that the explorer serves.
    assert {path.name for path in (file.parents[1] / "search").iterdir()} == {"search_index.js", "search_index.json"}


def test_no_page_of_the_documentation_asks_another_host(call):
    site = Path(call("manypath", "docs", "--print").strip()).parent
    pages = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    assert len(pages) > 100
    # A link of the header to the repository makes the script of the theme ask GitHub for its numbers.
    foreign = re.compile(r'(?:src|srcset)="(?:https?:)?//|rel="(?:stylesheet|preconnect)" href="http|="source"')
    assert not [str(page) for page, text in pages.items() if foreign.search(text)]


CONTROLS = """
import json

from manypath import documentation
from manypath.explore import presets
from manypath.explore.controls import changed, controls

first = presets.default()
link, flow = next(iter(first.scenario.network.links)), first.multipath
places = {
    f"transport\t{flow}": ["mptcp"],
    f"flows\t{flow}\tapp": ["transfer", "cbr", "on-off"],
    f"links\t{link}\tqueue": ["red", "codel", "pie", "fq-codel"],
    f"links\t{link}\tloss": ["bernoulli", "bit-error", "gilbert-elliott"],
}
states = [presets.preset(presets.OWN, name) for name in presets.EVERYDAY]
states += [changed(first, place, value) for place, values in places.items() for value in values]
shown = {control for state in states for control in controls(state)}
print(json.dumps({
    "site": str(documentation.SITE),
    "fields": {each.definition: documentation.place(each.definition) for each in shown},
    "pages": {each.page: documentation.place_of_page(each.page) for each in shown if each.page},
}))
"""
"""Prints the places in the documentation to which the explanations of the controls of the explorer link."""


def test_every_control_of_the_explorer_has_a_place_in_the_documentation(call):
    found = json.loads(call("python", "-c", CONTROLS))
    assert len(found["fields"]) > 100
    for name, place in found["fields"].items():
        assert place, f"{name} has no place"
        page, _, anchor = place.partition("#")
        assert f'id="{anchor}"' in Path(found["site"], page).read_text(encoding="utf-8"), place
    assert found["pages"]
    assert all(found["pages"].values()), found["pages"]


@needs_linux
def test_the_emulator_runs(call, tmp_path: Path):
    call("manypath-emu", "--help")
    if os.geteuid() != 0:
        pytest.skip("emulations need root")
    call("manypath", "examples")
    # A unique name, because namespaces are shared by the whole machine.
    name = f"wheel{os.getpid()}"
    (tmp_path / "examples/emulate_two_paths.toml").rename(tmp_path / f"{name}.toml")
    printed = call("manypath", "emulate", f"{name}.toml", "--", "ip", "-brief", "address")
    assert "10.0.1.1/24" in printed


@needs_linux
def test_a_file_is_transferred_between_two_processes(call, programs: Path, tmp_path: Path):
    (tmp_path / "into").mkdir()
    (tmp_path / "letter").write_text("over SCTP")
    words = ["net", "receive", "--bind", "127.0.0.14", "--udp", "0", "--into", "into"]
    with subprocess.Popen([programs / "manypath", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as receiver:
        assert receiver.stderr is not None
        waiting = re.fullmatch(r"waiting on 127\.0\.0\.14, .*UDP port (\d+)\n", receiver.stderr.readline())
        assert waiting is not None
        call("manypath", "net", "send", "letter", "--to", "127.0.0.14", "--bind", "127.0.0.15", "--udp", waiting[1])
    assert receiver.returncode == 0
    assert (tmp_path / "into/letter").read_text() == "over SCTP"


def free_port(address: str) -> int:
    """Return a free UDP port that the kernel gives to no program, since it is below those that it chooses from."""
    for port in range(20_000 + os.getpid() % 10_000, 32_768):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried, suppress(OSError):
            tried.bind((address, port))
            return port
    raise AssertionError(f"{address} has no free port")


LISTENER = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_SCTP) as sctp:
    sctp.bind(("127.0.0.16", 5001))
    sctp.listen()
    print("listens on", *sctp.getsockname())
"""


@needs_linux
def test_an_unmodified_program_has_sctp_sockets(call):
    words = ["net", "run", "--local", "127.0.0.16", "--encapsulation", str(free_port("127.0.0.16")), "--"]
    assert call("manypath", *words, "python", "-c", LISTENER) == "listens on 127.0.0.16 5001\n"


@needs_linux
def test_the_kernel_loader_runs_if_clang_built_it(call):
    if shutil.which("clang") is None:
        pytest.skip("without clang, a wheel has no manypath-kernel")
    # The test only lists, because loaded algorithms are shared by the whole machine and may be in use.
    assert "mp_lia" in call("manypath", "kernel", "list")


@pytest.fixture
def kernel_turn():
    """Hold the lock on the kernel's algorithms. crates/bpf/tests/kernel/needs.rs takes the same lock."""
    with Path(tempfile.gettempdir(), "manypath-kernel-tests.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.long
@needs_linux
@needs_root
def test_an_algorithm_is_loaded_into_the_kernel_and_removed_completely(call, kernel_turn):
    if shutil.which("clang") is None:
        pytest.skip("without clang, a wheel has no manypath-kernel")
    if re.search(r"mp_\w+ +(?!-)\S", call("manypath", "kernel", "list")):
        pytest.skip("an algorithm is loaded and may be in use")
    try:
        call("manypath", "kernel", "check")
    except AssertionError:
        pytest.skip("this kernel does not support congestion controls as BPF programs (struct_ops)")
    before = pinned()
    assert "mp_lia is pinned" in call("manypath", "kernel", "load", "lia", "--pin")
    try:
        assert re.search(r"mp_lia +pinned", call("manypath", "kernel", "list"))
    finally:
        call("manypath", "kernel", "unload", "lia")
    assert pinned() == before


def pinned() -> tuple[bool, list[str]]:
    """Return whether the BPF file system is mounted, and the names in it."""
    folder = Path("/sys/fs/bpf")
    return folder.is_mount(), sorted(path.name for path in folder.glob("*"))


TRAFFIC = """
import socket, subprocess, sys

SERVER = '''
import socket
server = socket.create_server(("10.0.1.2", 5999))
print("ready", flush=True)
peer, _ = server.accept()
print(sum(len(part) for part in iter(lambda: peer.recv(65536), b"")))
'''
words = ["ip", "netns", "exec", sys.argv[1] + "-right", sys.executable, "-c", SERVER]
server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
server.stdout.readline()
with socket.create_connection(("10.0.1.2", 5999), timeout=300) as peer:
    peer.sendall(bytes(200_000))
print("arrived", server.communicate(timeout=300)[0])
"""
"""A program that sends bytes from the left namespace of an emulation to the right one."""


@pytest.mark.long
@needs_linux
@needs_root
def test_real_traffic_crosses_an_emulated_network(call, tmp_path: Path):
    call("manypath", "examples")
    name = f"traffic{os.getpid()}"
    (tmp_path / "examples/emulate_two_paths.toml").rename(tmp_path / f"{name}.toml")
    (tmp_path / "traffic.py").write_text(TRAFFIC)
    printed = call("manypath", "emulate", f"{name}.toml", "--", "python", "traffic.py", name)
    assert "arrived 200000" in printed


MEASURED = """
warmup = "1 s"
measure = "2 s"
[network.disjoint]
one = { rate = "5 Mbit/s", delay = "5 ms" }
two = { rate = "5 Mbit/s", delay = "5 ms" }
[flows.mptcp]
transport = "mptcp"
paths = ["one", "two"]
"""
"""A scenario that takes a few seconds to measure."""


@pytest.mark.long
@needs_linux
@needs_root
def test_a_scenario_is_measured_on_the_kernel_and_simulated(call, kernel_turn, tmp_path: Path):
    if not Path("/proc/sys/net/mptcp/enabled").exists():
        pytest.skip("this kernel has no Multipath TCP")
    (tmp_path / "short.toml").write_text(MEASURED)
    assert "mptcp" in call("manypath", "measure", "short.toml", "--runs", "1", "--simulations", "1", "--json")


OUTCOMES = """
import json

from manypath import _native
from manypath.bench.training import training

print(_native.has_debug_assertions())
for scenario in training():
    outcome = json.loads(_native.run(scenario.document(), 1, 0)[0])
    del outcome["cpu_seconds"]
    print(json.dumps(outcome))
"""
"""Prints the kind of the build, and the outcomes with digests of rows of the benchmark and of cases of each paper."""


@pytest.mark.long
def test_the_release_and_the_build_of_the_tests_give_equal_results(call):
    """Whole-program optimisation and the training profile change no bit of a result."""
    released = call("python", "-c", OUTCOMES).splitlines()
    tested = subprocess.run([sys.executable, "-c", OUTCOMES], capture_output=True, text=True, check=True)
    assert released[0] == "False"
    assert tested.stdout.splitlines() == ["True", *released[1:]]
    assert len(set(released)) > 40


PROFILE = ROOT / "crates/py/training.profdata"
EVENT_LOOP = re.compile(r"_ZN12manypath_sim5world\S*World\S*?(?:3run|4poll)17h[0-9a-f]{16}E")
"""Mangled names of the functions that take most of the time."""


@pytest.mark.long
def test_the_training_profile_belongs_to_this_engine(programs: Path):
    """The compiler finds the counts of a generic function by its mangled name, which has a hash.

    The hash changes with the dependencies of `manypath-lab`. With the profile of another hash the engine gives the same
    results, but needs 6 % more CPU time.
    """
    nm = shutil.which("nm") or pytest.skip("needs nm (Debian: binutils)")
    engine = next(programs.parent.glob("lib/*/site-packages/manypath/_native*.so"))
    symbols = subprocess.run([nm, engine], capture_output=True, text=True, check=True).stdout
    event_loop = set(EVENT_LOOP.findall(symbols))
    profile = PROFILE.read_bytes()
    unknown = [name for name in event_loop if name.encode() not in profile]
    assert event_loop, "nm finds no event loop"
    assert not unknown, f"the profile is of another engine: run `make profile` ({unknown})"


@needs_linux
def test_no_program_needs_a_newer_c_library_than_the_wheels_tag(programs: Path):
    tag = re.search(r"manylinux_2_(\d+)_", WHEEL.name)
    assert tag, f"{WHEEL.name}: the tag has no version of the C library"
    engine = next(programs.parent.glob("lib/*/site-packages/manypath/_native*.so"))
    for binary in (engine, programs.parent / "lib/libmanypath_preload.so", *programs.glob("manypath-*")):
        wanted = {int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", binary.read_bytes())}
        assert max(wanted) <= int(tag[1]), binary.name


def test_the_extras_are_those_named_by_messages_and_pages():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {"dask", "interactive", "notebook"} <= set(extras)
