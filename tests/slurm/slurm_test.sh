#!/usr/bin/env bash
# Sweep on a real Slurm cluster of one host: a task is killed with -9 on the way, the same command resumes it, and the merged results
# are those of the sweep without Slurm. Needs slurm-wlm and munge (packaging/debian-packages-long.txt), not root.
#
#   slurm_test.sh PROGRAM
set -uo pipefail

program=$(readlink -f "$1")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=cluster.sh
. "$here/cluster.sh"

folder=$(mktemp -d /tmp/kernbench-slurm.XXXXXX)
failures=0
fail() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }
finish() {
  stop_cluster
  if [[ $failures -gt 0 ]]; then tail -n 5 "$folder"/cluster/*.log; fi
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM

check_line() { grep -qF -- "$2" "$1" || { fail "$1 has no '$2':"; cat "$1"; }; }

job_of() { sed -n 's/^kernbench: job \([0-9]*\) has been submitted.*/\1/p' "$1"; }

# Columns that do not depend on the host: those before "host.".
lasting_columns() {
  local first_of_host
  first_of_host=$(head -n 1 "$1" | tr ',' '\n' | grep -n '^host\.' | head -n 1 | cut -d: -f1)
  cut -d, -f "1-$((first_of_host - 1))" "$1"
}

start_cluster "$folder/cluster" || { fail 'the cluster has not started'; tail -n 5 "$folder"/cluster/*.{log,out}; exit 1; }
shared=$folder/shared
mkdir -p "$shared" && cd "$shared" || exit 1
cat >plan.yaml <<'PLAN'
bench: softmax-rows
topology: tiny
axes:
  rows: {from: 8, to: 96, step: 8}
  seed: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
derived: {rate: rows / simulated_ns}
PLAN

# 120 points in 6 shards on 4 processors; the third one is killed once it has stored points.
"$program" sweep plan.yaml --slurm='--comment="a test"' --shards 6 >first.out 2>first.err &
sweep=$!
killed=
for _ in $(seq 600); do
  if [[ -s plan.3of6.sqlite-wal && $(stat -c %s plan.3of6.sqlite-wal) -gt 300000 ]]; then
    killed=$(pgrep -o -f -- '--results '"$shared"'/plan.3of6.sqlite' || true)
    [[ -n $killed ]] && kill -9 "$killed" && break
  fi
  sleep 0.05
done
[[ -n $killed ]] || fail 'no task of shard 3 to kill'
wait "$sweep"
[[ $? -eq 1 ]] || fail 'the exit status with a killed task is not 1'
check_line first.err 'has been submitted: 6 of 6 shards'
check_line first.err 'shard 3/6: killed by signal 9 (Killed)'
check_line first.err 'the same command runs '
[[ ! -e plan.sqlite ]] || fail 'an incomplete sweep has been merged'
left=$(sed -n 's/^kernbench: \([0-9]*\) points\? of 1 shard [a-z]* missing.*/\1/p' first.err)
[[ ${left:-0} -gt 0 && ${left:-0} -lt 20 ]] || fail "found ${left:-no} points of 20 left: allowed is a part of them"

# An interrupt leaves the job alone; then the same command follows it.
"$program" sweep plan.yaml --slurm='--comment="a test" --hold' --shards 6 >second.out 2>second.err &
sweep=$!
wait_until 20 grep -q 'has been submitted: 1 of 6 shards' second.err || fail 'the killed shard has not been submitted alone'
kill -TERM "$sweep"  # a shell starts background processes with SIGINT ignored
wait "$sweep"
[[ $? -eq 1 ]] || fail 'the exit status of an interrupted command is not 1'
check_line second.err 'goes on: the same command follows it again'
"$program" sweep plan.yaml --slurm --shards 6 >third.out 2>third.err &
sweep=$!
wait_until 20 grep -q 'has been submitted before and is followed' third.err || fail 'the job is not followed'
scontrol release "$(job_of second.err)"
wait "$sweep" || fail "the resumed sweep ends with $?"
check_line third.out 'points             120: 120 ok, 0 failed'
squeue --noheader --states=all --Format=State:20 | grep -q COMPLETED || fail 'Slurm has no completed task'

"$program" sweep plan.yaml --results plain.sqlite >plain.out 2>&1 || fail "the plain sweep ends with $?"
diff <(lasting_columns plain.csv) <(lasting_columns plan.csv) >difference || { fail 'the merged results differ:'; head -n 5 difference; }
[[ $(wc -l <plan.csv) -eq 121 ]] || fail 'the CSV has no 120 points'

# Done: no job is submitted. Then a task that Slurm cancels.
"$program" sweep plan.yaml --slurm --shards 6 >fourth.out 2>fourth.err || fail 'a completed sweep fails'
[[ ! -s fourth.err ]] || { fail 'a completed sweep has messages:'; cat fourth.err; }
"$program" sweep plan.yaml --results cancelled.sqlite --slurm=--hold --shards 2 >fifth.out 2>fifth.err &
sweep=$!
wait_until 20 grep -q 'has been submitted: 2 of 2' fifth.err
scancel "$(job_of fifth.err)"
wait "$sweep"
[[ $? -eq 1 ]] || fail 'the exit status of a cancelled job is not 1'
check_line fifth.err 'shard 1/2: cancelled, 0 of 60 points done'
"$program" sweep plan.yaml --results refused.sqlite --slurm='--partition=none' >sixth.out 2>sixth.err
[[ $? -eq 2 ]] || fail 'the exit status of a refused job is not 2'
check_line sixth.err 'sbatch has refused the job'
check_line sixth.err 'invalid partition specified: none'

# Points of --sensitivity run in the same way.
"$program" sweep plan.yaml --sensitivity columns 'cube.links.*' --slurm --shards 3 --csv >seventh.out 2>seventh.err || fail 'sensitivity fails on Slurm'
"$program" sweep plan.yaml --sensitivity columns 'cube.links.*' --results here.sqlite --csv >here.out || fail 'sensitivity fails'
cmp seventh.out here.out || fail 'the table of sensitivity differs'
[[ $(wc -l <here.out) -gt 3 ]] || fail 'the table of sensitivity has no rows'

[[ $failures -eq 0 ]] && echo "passed: $((20 - left)) of 20 points of the killed shard were kept"
exit $((failures > 0))
