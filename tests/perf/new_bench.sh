#!/usr/bin/env bash
# What a new bench costs: writes the example of sw/README.md as sw/benches/new_bench_timed.cpp, builds `kernbench`, changes a line, builds
# again, takes the file away and builds once more, so that all is as before. Seconds of wall clock and of processor, and the steps of
# each build; on an idle machine.
#
#   tests/perf/new_bench.sh [BUILD]       default: build/release, which has been built before
#
# CCACHE_DISABLE is set, so that nothing comes out of a cache. Exit status: 1 if a build fails.
set -euo pipefail

root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../..
build=${1:-$root/build/release}
file=$root/sw/benches/new_bench_timed.cpp
export CCACHE_DISABLE=1
TIMEFORMAT='%R s of wall clock, %U s of processor'

timed_build() { # WHAT
  local steps
  printf '%s: ' "$1"
  time steps=$(ninja -C "$build" -j2 kernbench | grep -cE '^\[[0-9]+/[0-9]+\] (Building|Linking|Re-running)' || true)
}

[[ ! -e $file ]] || { echo "$file is there already" >&2; exit 1; }
CCACHE_DISABLE='' ninja -C "$build" kernbench >/dev/null
trap 'rm -f "$file"; ninja -C "$build" kernbench >/dev/null' EXIT
awk '/^```cpp$/ { code = 1; next } /^```$/ { code = 0 } code' "$root/sw/README.md" |
  awk '/^\/\/ sw\/benches\// { mine = /scaled_add/ } mine' |
  sed 's/register_scaled_add/register_new_bench_timed/; s/"scaled-add"/"new-bench-timed"/' >"$file"
timed_build 'a new bench'
"$build/kernbench" run --bench new-bench-timed --verify-data | grep -q '^verdict: PASS'
sed -i 's/0\.5F/0.25F/; s/0\.5 \*/0.25 */' "$file"
timed_build 'a change of it'
"$build/kernbench" run --bench new-bench-timed --verify-data | grep -q '^verdict: PASS'
