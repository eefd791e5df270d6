#!/usr/bin/env bash
# The sweep of ccl-allreduce by lrab_hierarchical_allreduce (spec 8.2): six SIPs of 16 cubes, every arrangement of SIPs, sizes from 8 to
# 49152 elements per shard, each point verified. One line per point: arrangement, kind of rings, elements, simulated ns, GB/s, seconds of simulation, verdict.
#
#   tests/perf/ccl_sweep.sh [tcm|sram|hbm|all]...      default: tcm, 36 points
#
# As many runs at a time as there are cores. Exit status: 1 if a point is not as it should be.
set -euo pipefail

program=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../kernbench
sizes=(8 32 64 128 512 1024 2048 4096 8192 16384 32768 49152)
sips=('{count: 6, topology: ring_1d}' '{count: 6, topology: torus_2d, w: 2, h: 3}' '{count: 6, topology: mesh_2d_no_wrap, w: 2, h: 3}')
kinds=("${@:-tcm}")
[[ ${kinds[*]} == all ]] && kinds=(tcm sram hbm)

point() { # SIPS KIND ELEMENTS
  local report arrangement=${1#*topology: }
  arrangement=${arrangement%%[,\}]*}
  report=$("$program" run --bench ccl-allreduce --topology six_sip --set "system.sips=$1" --param "buffer_kind=$2" \
    --param algorithm=lrab_hierarchical_allreduce --param "n_elem=$3" --verify-data 2>&1) || true
  awk -v where="$arrangement" -v kind="$2" -v elements="$3" '
    $1 == "all_reduce" { ns = $7; gbs = $8 }
    $1 == "host" { seconds = $2 + $5 }
    $1 == "verdict:" { verdict = $2 }
    { text = text $0 "\n" }
    END {
      if (verdict != "PASS") { printf "%s %s %s:\n%s", where, kind, elements, text; exit 1 }
      printf "%-15s  %-4s  %6d  %12.3f  %8.3f  %6.2f  %s\n", where, kind, elements, ns, gbs, seconds, verdict
    }' <<<"$report"
}
export -f point
export program

"$program" --version >/dev/null # builds what is to be built, once
for kind in "${kinds[@]}"; do
  for arrangement in "${sips[@]}"; do
    for elements in "${sizes[@]}"; do printf '%s\0%s\0%s\0' "$arrangement" "$kind" "$elements"; done
  done
done | xargs -0 -n 3 -P "$(nproc)" bash -c 'point "$@"' point
