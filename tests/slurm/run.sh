#!/usr/bin/env bash
# run.sh BIN: a real Slurm on this one machine (as root, in a temporary folder, gone afterwards), and in it a folder of
# frames over four tasks, over a job array, with a task that is killed; and, where snapcube-train is in BIN, a training of two
# ranks of which one is killed.
set -euo pipefail
bin=$(realpath "$1")
snapcube=$bin/snapcube
if ((EUID != 0)); then
  echo "Slurm's daemons want to be root; so this check does, too" >&2
  exit 2
fi
work=$(mktemp -d /tmp/snapcube-slurm-XXXXXX)
chmod 755 "$work"
daemons=()

finish() {
  local code=$?
  set +e
  [[ -n ${SLURM_CONF:-} ]] && scancel --quiet --state=RUNNING,PENDING --user=root 2>/dev/null
  if ((code != 0)); then tail -n 20 "$work"/*.log >&2; fi
  for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do kill "${daemons[i]}" 2>/dev/null && wait "${daemons[i]}" 2>/dev/null; done
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT

say() { printf '%s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }
# check NAME TEST…
check() {
  local name=$1
  shift
  "$@" || fail "$name"
  say "ok      $name"
}
same() { [[ $1 == "$2" ]] || { say "  expected '$2', found '$1'"; return 1; }; }
# until CONDITION…: waits up to 60 seconds for it.
until_so() {
  for ((i = 0; i < 600; ++i)); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  return 1
}
free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# --- Slurm -----------------------------------------------------------------------------------------------------------
start_slurm() {
  local host
  host=$(hostname -s)
  mkdir -m 700 "$work/munge"
  mkdir -p "$work/state" "$work/spool" "$work/bin"
  dd if=/dev/urandom bs=1 count=1024 of="$work/munge/key" status=none
  chmod 600 "$work/munge/key"
  # Its socket must be in a folder that everybody may search.
  munged --foreground --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/munged.log" 2>&1 &
  daemons+=($!)
  until_so test -S "$work/munge.socket" || fail "munged did not start"
  cat >"$work/slurm.conf" <<CONF
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=10000
SlurmdParameters=config_overrides
ReturnToService=2
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=5 DefaultTime=5 State=UP
CONF
  export SLURM_CONF=$work/slurm.conf
  slurmctld -D >"$work/slurmctld.log" 2>&1 &
  daemons+=($!)
  slurmd -D >"$work/slurmd.log" 2>&1 &
  daemons+=($!)
  until_so ready || fail "the node is not ready"
  say "Slurm $(srun --version | cut -d' ' -f2) with one node of four processors"
}
ready() { [[ $(sinfo -h -o %T 2>/dev/null) == idle ]]; }

# --- a folder of frames ----------------------------------------------------------------------------------------------
frames=13
make_frames() {
  mkdir "$work/shots"
  for ((i = 0; i < frames; ++i)); do
    "$snapcube" simulate --scene chart --size 48x48 --random-mask binary --noise gaussian:0.01 --seed "$i" \
      --save-mask "$work/mask$i.mat" -o "$work/shots/$(printf 'f%02d.mat' "$i")" --quiet
  done
  # Seeds choose masks, too; one camera saw all frames.
  for ((i = 0; i < frames; ++i)); do
    "$snapcube" simulate --scene chart --size 48x48 --mask "$work/mask0.mat" --noise gaussian:0.01 --seed "$i" \
      -o "$work/shots/$(printf 'f%02d.mat' "$i")" --quiet
  done
}
# The command that all tasks run; more arguments follow.
reconstruct=("$snapcube" reconstruct "$work/shots" --mask "$work/mask0.mat" --method gap-tv --iterations 100 --threads 1
  --format npy)
cubes() { find "$1" -maxdepth 1 -name 'f*.npy' | wc -l; }
# How many cubes were made more than once, by all journals.
twice() { cat "$1"/.snapcube/*.jsonl | sed 's/.*"cube":"\([^"]*\)".*/\1/' | sort | uniq -d | wc -l; }
same_cubes() { for cube in "$work"/alone/f*.npy; do cmp "$cube" "$1/$(basename "$cube")" || return 1; done; }

four_tasks() {
  srun -n 4 "${reconstruct[@]}" -o "$work/four" --summary "$work/four.csv" >"$work/four.log" 2>&1 || return 1
  same "$(cubes "$work/four")" $frames && same "$(find "$work/four/.snapcube" -name 'frames-*-of-4.jsonl' -size +0 | wc -l)" 4 &&
    same "$(twice "$work/four")" 0 && same "$(wc -l <"$work/four.csv")" $((frames + 1)) && same_cubes "$work/four"
}

killed_task() {
  # Task 2 is killed before its share is done; the others are not stopped for it.
  cat >"$work/bin/task" <<'TASK'
#!/bin/sh
[ "$SLURM_PROCID" = 2 ] || exec "$@"
"$@" & own=$!
while kill -0 $own 2>/dev/null && [ "$(ls "$OUTPUT" 2>/dev/null | grep -c npy)" -lt 1 ]; do sleep 0.01; done
kill -9 $own
wait $own
TASK
  chmod +x "$work/bin/task"
  OUTPUT=$work/killed srun --kill-on-bad-exit=0 -n 4 "$work/bin/task" "${reconstruct[@]}" -o "$work/killed" \
    --summary "$work/killed.csv" >"$work/killed.log" 2>&1 && return 1
  (($(cubes "$work/killed") < frames)) || return 1
  [[ ! -e $work/killed.csv ]] || return 1
  srun -n 2 "${reconstruct[@]}" -o "$work/killed" --summary "$work/killed.csv" >"$work/killed.log" 2>&1 || return 1
  same "$(cubes "$work/killed")" $frames && same "$(twice "$work/killed")" 0 &&
    same "$(wc -l <"$work/killed.csv")" $((frames + 1))
}

job_array() {
  sbatch --wait --array=0-2 --ntasks=1 --output="$work/array-%a.log" --wrap \
    "$(printf '%q ' "${reconstruct[@]}") -o $work/array" >"$work/sbatch.log" 2>&1 || return 1
  same "$(cubes "$work/array")" $frames &&
    same "$(find "$work/array/.snapcube" -name 'frames-*-of-3.jsonl' -size +0 | wc -l)" 3 &&
    same "$(twice "$work/array")" 0 && same_cubes "$work/array"
}

# A batch script of four tasks that forgets srun is one process, which does everything.
batch_script() {
  sbatch --wait --ntasks=4 --output="$work/script.log" --wrap "$(printf '%q ' "${reconstruct[@]}") -o $work/script" \
    >"$work/sbatch.log" 2>&1 || return 1
  same "$(cubes "$work/script")" $frames && same "$(ls "$work/script/.snapcube")" frames-0-of-1.jsonl
}

# --- a training of two ranks -----------------------------------------------------------------------------------------
train() {
  mkdir "$work/scenes"
  for seed in 1 2; do
    "$snapcube" simulate --scene chart --size 48x48 --seed $seed --random-mask binary --save-mask "$work/train_mask.mat" \
      --save-truth "$work/scenes/s$seed.mat" -o "$work/unused.mat" --quiet
  done
  local port run=$work/run
  port=$(free_port)
  # Rank 1 is killed after the first checkpoint.
  cat >"$work/bin/rank" <<'TASK'
#!/bin/sh
[ "$SLURM_PROCID" = 1 ] || exec "$@"
"$@" & own=$!
while kill -0 $own 2>/dev/null && ! ls "$RUN"/checkpoints/*.safetensors >/dev/null 2>&1; do sleep 0.05; done
kill -9 $own
wait $own
TASK
  chmod +x "$work/bin/rank"
  export MASTER_ADDR=127.0.0.1 MASTER_PORT=$port RUN=$run OMP_WAIT_POLICY=passive
  local options=(--blocks "1,1,1" --window 4 --bucket 4 --crop 32 --batch 1 --threads 1 --data "$work/scenes" --mask "$work/train_mask.mat"
    --save-every 2)
  srun --kill-on-bad-exit=0 --time=2 -n 2 "$work/bin/rank" "$bin/snapcube-train" "${options[@]}" --steps 100000 --run "$run" \
    >"$work/train.log" 2>&1 && return 1
  grep -q "lost the others" "$work/train.log" || { say "  the other rank did not say why it ended"; return 1; }
  local reached
  reached=$(find "$run/checkpoints" -name "step-*.safetensors" -printf "%f\n" | sed 's/step-0*\([0-9]*\)\..*/\1/' | sort -n | tail -1)
  MASTER_PORT=$(free_port) srun -n 2 "$bin/snapcube-train" --resume "$run" --steps $((reached + 4)) >"$work/train.log" 2>&1 || return 1
  grep -q "going on after step $reached" "$work/train.log" && [[ -s $run/last.safetensors ]]
}

start_slurm
make_frames
"${reconstruct[@]}" -o "$work/alone" --quiet >/dev/null
check "four tasks share a folder, each cube is made once, the last writes the summary" four_tasks
check "what a killed task has left, the next run does" killed_task
check "the jobs of an array share a folder" job_array
check "a batch script without srun is one process" batch_script
if [[ -x $bin/snapcube-train ]]; then
  check "a training of two ranks: one is killed, the other ends, --resume goes on" train
else
  say "skipped the training: there is no snapcube-train in $bin"
fi
say "Slurm: all is well"
