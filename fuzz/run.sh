#!/usr/bin/env bash
# Fuzzes targets and prints a table: fuzz/run.sh SECONDS [TARGET...], SECONDS for each; without names, every target.
# Where cargo-bolero cannot be installed, inputs are drawn at random, and the exit code is 3: nothing was guided.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.13.5
tools=$PWD/target/tools
seconds=${1:?seconds for each target}
shift
targets=("$@")
((${#targets[@]})) || targets=(packet_reader established_association init_and_cookie mutating_link)

export PATH=$tools/bin:$PATH
mkdir -p target/fuzz

if [[ $(cargo-bolero --version 2> /dev/null) != *" $version" ]] \
    && ! cargo install cargo-bolero --version "=$version" --locked --debug --root "$tools" --quiet 2> target/fuzz/install.log; then
    echo "cargo-bolero $version could not be installed (target/fuzz/install.log): inputs are drawn without coverage" >&2
    for target in "${targets[@]}"; do
        BOLERO_RANDOM_ITERATIONS=1000000000 BOLERO_RANDOM_TEST_TIME_MS=${seconds}000 \
            cargo test --profile fuzz --package manypath-fuzz --test "$target"
    done
    echo "No finding in random inputs. Nothing was guided by coverage." >&2
    exit 3
fi

# A short run begins with the repository's inputs alone: those of earlier runs would take all of its time.
corpora=target/fuzz/corpus
if ((seconds < 60)); then
    corpora=target/fuzz/quick
    rm -rf "$corpora"
fi

# Arguments: a target, then options of `cargo bolero test`. New inputs go to target/, findings beside the target.
fuzz() {
    local target=$1
    shift
    mkdir -p "$corpora/$target"
    cargo bolero test "$target" --package manypath-fuzz --profile fuzz --sanitizer NONE --target-dir target/fuzz/build \
        --corpus-dir "$corpora/$target" --crashes-dir "fuzz/$target/crashes" --timeout 60s "$@" \
        --engine-args="fuzz/$target/corpus" --engine-args=-max_len=1500 --engine-args=-len_control=0 \
        --engine-args=-print_final_stats=1
}

# The last number behind a word in a log.
number() {
    grep -ao "$1 *[0-9]*" "$2" | tail -1 | grep -o '[0-9]*$' || echo 0
}

fuzz "${targets[0]}" --runs 1 > target/fuzz/build.log 2>&1 || true # builds all
printf '%-24s %8s %12s %8s %10s %10s\n' target minutes executions per-s coverage findings
failed=
for target in "${targets[@]}"; do
    log=target/fuzz/$target.log
    SECONDS=0
    fuzz "$target" -T "${seconds}s" > "$log" 2>&1 || failed+=" $target"
    runs=$(number number_of_executed_units: "$log")
    findings=$(grep -ac 'Test unit written to' "$log" || true)
    printf '%-24s %8s %12d %8d %10d %10d\n' "$target" "$((SECONDS / 60)).$((SECONDS % 60 / 6))" "$runs" \
        $((runs / (SECONDS + (SECONDS == 0)))) "$(number cov: "$log")" "$findings"
done
for target in $failed; do
    echo "$target failed: target/fuzz/$target.log says why; cargo test --package manypath-fuzz --test $target repeats it" >&2
done
[[ -z $failed ]]
