#!/usr/bin/env bash
# run.sh BIN_DIR [TARGET [SECONDS]]: fuzzes one parser, or each of them, for SECONDS (60). Starts from the files of
# tests/data/io, fuzz/seeds and fuzz/crashes, and from what earlier runs kept in BIN_DIR/corpus/TARGET/. An input that makes
# a target fail goes to fuzz/crashes/TARGET/; committed, it is replayed by every run of the tests.
set -euo pipefail
(($# >= 1 && $# <= 3)) || { echo "usage: fuzz/run.sh BIN_DIR [TARGET [SECONDS]]" >&2; exit 2; }
bin=$(cd "$1" && pwd)
seconds=${3:-60}
cd "$(dirname "${BASH_SOURCE[0]}")"
if [[ -n ${2:-} ]]; then
  targets=("$2")
else
  targets=()
  for source in targets/*.cpp; do targets+=("$(basename "$source" .cpp)"); done
fi

# Files that are written for each input stay in memory where that is possible.
base=${TMPDIR:-/tmp}
[[ -w /dev/shm ]] && base=/dev/shm
work=$(mktemp -d "$base/snapcube-fuzz-XXXXXX")
# Children that are forked for a rehearsal leave LLVM's OpenMP no time to remove its note of them.
clean() {
  local note process
  rm -rf "$work"
  for note in /dev/shm/__KMP_REGISTERED_LIB_*_"$UID"; do
    process=${note#*LIB_}
    [[ -d /proc/${process%_*} ]] || rm -f "$note"
  done
}
trap clean EXIT
export TMPDIR=$work OMP_NUM_THREADS=1
# An allocation that fails is to be seen as such; libraries keep memory until the program ends.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:detect_leaks=0:quarantine_size_mb=16}

status=0
for target in "${targets[@]}"; do
  program=$bin/fuzz_$target
  [[ -x $program ]] || { echo "no such target: $target" >&2; exit 2; }
  corpus=$bin/corpus/$target
  mkdir -p "$corpus" "crashes/$target"
  while read -r seed; do
    [[ -n $seed ]] && cp "$seed" "$corpus/"
  done <"$program.seeds"
  options=(-max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -max_len=32768 -print_final_stats=1
           -artifact_prefix="crashes/$target/")
  [[ -f dictionaries/$target.dict ]] && options+=(-dict="dictionaries/$target.dict")
  log=$work/$target.log
  result=well
  "$program" "${options[@]}" "$corpus" >"$log" 2>&1 || result=failed
  covered=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -1)
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%-11s %9s executions  %-22s %s\n' "$target" "${executions:-?}" "${covered:-}" "$result"
  if [[ $result == failed ]]; then
    grep -E 'ERROR|must hold|runtime error|terminate|what\(\)|Test unit written' "$log" | head -8 || tail -20 "$log"
    status=1
  fi
  rmdir --ignore-fail-on-non-empty "crashes/$target"
done
rmdir --ignore-fail-on-non-empty crashes 2>/dev/null || true
exit $status
