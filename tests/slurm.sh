#!/usr/bin/env bash
# Starts a Slurm of one machine for as long as a command runs.
#
#   tests/slurm.sh COMMAND...
#   tests/slurm.sh srun -n 4 build/bin/pyelfrun SET
#
# munged, slurmctld and slurmd are those of Debian's packages slurm-wlm and
# munge. They use a directory of their own under TMPDIR, so they do not disturb
# a Slurm that the machine has. SLURM_CONF names their configuration. They run
# as root, who is also the only user. The exit status is the command's, or 77
# if Slurm does not start: then the logs are printed.

set -euo pipefail

fail() {
  printf 'slurm.sh: %s\n' "$*" >&2
  exit 77
}

[ $# -ge 1 ] || {
  sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
PATH=$PATH:/usr/sbin
for program in munged mungekey slurmctld slurmd srun scontrol; do
  command -v "$program" >/dev/null || fail "there is no $program; install slurm-wlm and munge"
done
[ "$(id -u)" -eq 0 ] || fail "slurmd and munged have to be started by root"

here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
directory=$(mktemp -d "${TMPDIR:-/tmp}/slurm.XXXXXX")
host=$(hostname -s)
daemons=()

stop() {
  local pid tries
  for pid in "${daemons[@]}"; do
    kill "$pid" 2>/dev/null || true
    for ((tries = 0; tries < 50; tries++)); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
  done
  rm -rf -- "$directory"
}
trap stop EXIT
# slurmd's jobs and munge's clients have to get through this directory
chmod 755 -- "$directory"

# start NAME COMMAND...: starts it in the background, with its output in NAME.log.
start() {
  local name=$1
  shift
  setsid "$@" >"$directory/$name.log" 2>&1 </dev/null &
  daemons=("$!" "${daemons[@]}")
}

# Prints the last lines of all logs and fails.
fail_with_logs() {
  tail -n 20 "$directory"/*.log >&2
  fail "$1"
}

read -r port_ctld port_d < <(/usr/bin/python3 -c '
import socket
sockets = [socket.create_server(("", 0)) for _ in range(2)]
print(*(s.getsockname()[1] for s in sockets))')

cat >"$directory/slurm.conf" <<END_OF_CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port_ctld
SlurmdPort=$port_d
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$directory/munge.socket
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=pmix
KillWait=2
ReturnToService=2
# more ranks than the machine has cores
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
END_OF_CONF
export SLURM_CONF=$directory/slurm.conf
mkdir -- "$directory/state" "$directory/spool"

mungekey --create --keyfile "$directory/munge.key"
start munged munged --foreground --force --socket "$directory/munge.socket" --key-file "$directory/munge.key" \
  --pid-file "$directory/munged.pid" --seed-file "$directory/munge.seed" --log-file "$directory/munge.log"
for ((tries = 0; ; tries++)); do
  [ ! -S "$directory/munge.socket" ] || break
  [ "$tries" -lt 100 ] || fail_with_logs "munged does not start"
  sleep 0.1
done
start slurmctld slurmctld -D -f "$SLURM_CONF"
start slurmd slurmd -D -f "$SLURM_CONF" -N "$host"
for ((tries = 0; ; tries++)); do
  [ "$(sinfo -h -o %t 2>/dev/null || true)" != idle ] || break
  [ "$tries" -lt 300 ] || fail_with_logs "the node of this Slurm does not become idle"
  sleep 0.1
done

while IFS='=' read -r name value; do
  [[ $name == \#* || -z $name || -n ${!name+set} ]] || export "$name=$value"
done <"$here/mpi.env"

status=0
"$@" || status=$?
exit "$status"
