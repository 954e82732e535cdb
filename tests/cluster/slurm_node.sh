#!/bin/sh
# slurm_node.sh: a Slurm of one node, for the command that follows.
#
#     tests/cluster/slurm_node.sh tests/cluster/slurm_array.sh sweep.lua
#
# Its own munged, slurmctld and slurmd, on ports of their own, with all their files in a temporary folder; all is ended
# and removed after the command.  Exit status 77: they are not installed, or don't start here (the last line says why).
PATH=$PATH:/usr/sbin:/sbin
export PATH
for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || { echo "$program is missing"; exit 77; }
done

node=$(mktemp -d) || exit 1
tries=0
# True until 10 s have gone.
wait_on() {
    tries=$((tries + 1))
    sleep 0.2
    [ $tries -le 50 ]
}
stop() {
    for program in slurmd slurmctld munged; do
        [ -s "$node/$program.pid" ] && kill "$(cat "$node/$program.pid")" 2>/dev/null
    done
    tries=0
    while ls "$node"/*.pid >/dev/null 2>&1 && wait_on; do :; done # each takes its own away as it ends
    rm -rf "$node"
}
trap stop EXIT

chmod 755 "$node"
mkdir "$node/socket" "$node/state" "$node/spool"
head -c 1024 /dev/urandom >"$node/key"
chmod 400 "$node/key"
name=$(hostname -s) port=$((20000 + $$ % 20000))
cat >"$node/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$name(localhost)
AuthType=auth/munge
AuthInfo=socket=$node/socket/munge
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$node/state
SlurmdSpoolDir=$node/spool
SlurmctldPidFile=$node/slurmctld.pid
SlurmdPidFile=$node/slurmd.pid
SlurmctldLogFile=$node/slurmctld.log
SlurmdLogFile=$node/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=localhost NodeHostname=$name CPUs=2 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES State=UP
END
SLURM_CONF=$node/slurm.conf
export SLURM_CONF

start() {
    munged --force --socket="$node/socket/munge" --key-file="$node/key" --log-file="$node/munged.log" \
        --pid-file="$node/munged.pid" --seed-file="$node/seed" && slurmctld -c && slurmd -N localhost
}
start || { echo "the daemons don't start"; exit 77; }
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
    wait_on || { echo "the node does not come up"; exit 77; }
done
"$@"
