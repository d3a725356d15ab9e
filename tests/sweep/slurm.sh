#!/bin/sh
# Runs a sweep, and the shards of two kernels, on a cluster of one node, with munged, slurmctld and slurmd on loopback, started and ended here; skipped
# (exit 77) without these programs or without root. slurm.sh ONYX
set -eu
onyx=$(realpath "$1")
for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd wants root"; exit 77; }
work=$(mktemp -d)
chmod 755 "$work"
processes=
finish() {
    code=$?
    [ $code = 0 ] || tail -n 20 "$work"/*.log 2>/dev/null || true
    for process in $processes; do kill "$process" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
    exit $code
}
trap finish EXIT
mkdir "$work/munge" "$work/state" "$work/spool" "$work/run"
head -c 128 /dev/urandom >"$work/munge/key"
chmod 600 "$work/munge/key"
munged --foreground --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munged.log" --seed-file="$work/munge/seed" --num-threads=1 &
processes="$!"
node=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$work/slurm.conf" <<END
ClusterName=onyx
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$work/munge/socket
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$work/slurm.conf"
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld.log" 2>&1 &
processes="$processes $!"
slurmd -D -f "$SLURM_CONF" >"$work/slurmd.log" 2>&1 &
processes="$processes $!"
tries=0
until sinfo --noheader --format=%T 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { echo "the node did not become idle"; exit 1; }
    sleep 1
done

cd "$work/run"
sweep() {
    "$onyx" sweep "X(i,j)=B(i,k)*C(k,j)" -f B:ss -f C:ss:1,0 -g B:30x30:0.2:3 -g C:30x30:0.2:5 "$@"
}
sweep --tile 8,16 --unroll 1,60 --slurm --jobs 2 --db slurm.db >slurm.txt 2>slurm.err || { cat slurm.err; exit 1; }
cat slurm.txt
grep -q "4 points, 2 done" slurm.txt
# The points give the same figures on this machine.
sweep --tile 8,16 --unroll 1,60 --db here.db >here.txt 2>here.err
diff slurm.txt here.txt
# Finished points are not submitted again, new ones are.
sweep --tile 8,16 --unroll 1,60 --slurm --db slurm.db 2>again.err >again.txt
[ ! -s again.err ]
diff slurm.txt again.txt
sweep --tile 8,16,12 --unroll 1,60 --slurm --db slurm.db 2>more.err >more.txt
grep -q "6 points, 3 done" more.txt
[ "$(wc -l <more.err)" = 2 ]
echo "one node, 6 points: the same figures as here"

# An array of tasks for each of two kernels: the second array waits for the first, and takes what its tasks have left.
kernel="X(i,j)=A(i,k)*A(k,j)"
cat >first.sh <<END
#!/bin/sh
exec "$onyx" run "$kernel" -g A:300x300:0.01:3 --engine cycle --shard \$SLURM_ARRAY_TASK_ID/3 -o w\$SLURM_ARRAY_TASK_ID
END
cat >next.sh <<END
#!/bin/sh
exec "$onyx" merge w? --shard \$SLURM_ARRAY_TASK_ID/2 -o X\$SLURM_ARRAY_TASK_ID
END
first=$(sbatch --parsable -a 1-3 first.sh)
sbatch --wait -d "afterok:$first" -a 1-2 next.sh || { cat slurm-*.out; exit 1; }
"$onyx" merge w? X? -o whole
"$onyx" run "$kernel" -g A:300x300:0.01:3 --engine cycle --jobs 1 -o alone >alone.txt
for file in X.mtx w/design.place X/sam.gv; do cmp whole/$file alone/$file; done
grep -h '"kernel":' whole/report.json >whole.txt
grep -h '"kernel":' alone/report.json >alone.txt
diff whole.txt alone.txt
echo "one node, 5 tasks of two kernels: the result and the cycles of a single command"
