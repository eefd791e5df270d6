# A Slurm cluster of one host for a test: munged, slurmctld and slurmd of this process, in a folder and on ports of its own,
# without accounting database, cgroups or any part of a cluster that the host may have. Sourced by slurm_test.sh.
#
#   start_cluster DIR    starts the daemons; SLURM_CONF then selects the cluster for sbatch, squeue and the rest
#   stop_cluster         ends the daemons and what the jobs left, also after a failed start

cluster_pids=()
cluster_dir=

free_port() {
  local port
  for port in $(shuf -i 20000-50000 -n 50); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  return 1
}

cluster_configuration() {
  local host=$1 control_port=$2 node_port=$3
  cat <<CONF
ClusterName=kernbench
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control_port
SlurmdPort=$node_port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$cluster_dir/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=2
MinJobAge=120
StateSaveLocation=$cluster_dir/state
SlurmdSpoolDir=$cluster_dir/spool
SlurmctldPidFile=$cluster_dir/slurmctld.pid
SlurmdPidFile=$cluster_dir/slurmd.pid
SlurmctldLogFile=$cluster_dir/slurmctld.log
SlurmdLogFile=$cluster_dir/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
}

wait_until() { # SECONDS COMMAND...
  local most=$1 i
  shift
  for ((i = 0; i < most * 5; ++i)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  echo "after $most s still not: $*" >&2
  return 1
}

cluster_is_up() { sinfo --noheader --format=%T | grep -qx idle; }

start_cluster() {
  local host control_port node_port
  cluster_dir=$1
  host=$(hostname -s)
  mkdir -p "$cluster_dir"/{state,spool}
  chmod 755 "$cluster_dir"
  dd if=/dev/urandom of="$cluster_dir/munge.key" bs=128 count=1 status=none
  chmod 600 "$cluster_dir/munge.key"
  control_port=$(free_port) && node_port=$(free_port)
  cluster_configuration "$host" "$control_port" "$node_port" >"$cluster_dir/slurm.conf"
  export SLURM_CONF=$cluster_dir/slurm.conf
  munged --foreground --force --key-file="$cluster_dir/munge.key" --socket="$cluster_dir/munge.socket" --pid-file="$cluster_dir/munged.pid" \
    --seed-file="$cluster_dir/munged.seed" --log-file="$cluster_dir/munged.log" >"$cluster_dir/munged.out" 2>&1 &
  cluster_pids+=($!)
  wait_until 10 test -S "$cluster_dir/munge.socket" || return
  slurmctld -D -c >"$cluster_dir/slurmctld.out" 2>&1 &
  cluster_pids+=($!)
  slurmd -D -N "$host" >"$cluster_dir/slurmd.out" 2>&1 &
  cluster_pids+=($!)
  wait_until 30 cluster_is_up
}

stop_cluster() {
  local pid i
  [[ -n $cluster_dir ]] || return 0
  # The jobs first; each daemon ends when its time has come, or is killed.
  scancel --signal=KILL --full --user="$(id -un)" >/dev/null 2>&1
  for ((i = ${#cluster_pids[@]} - 1; i >= 0; --i)); do
    pid=${cluster_pids[i]}
    kill "$pid" 2>/dev/null
    for _ in $(seq 25); do kill -0 "$pid" 2>/dev/null || break; sleep 0.2; done
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  cluster_pids=()
  # slurmstepd of a job that was not ended by its daemon: known by the folder that it works in.
  for pid in $(pgrep slurmstepd); do
    grep -qs "$cluster_dir" "/proc/$pid/environ" && kill -9 "$pid" 2>/dev/null
  done
  return 0
}
