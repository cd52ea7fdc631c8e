#!/usr/bin/env bash
# coverage.sh TARGET FILE...: which share of the lines of some source files a target's inputs reach: its seeds and crashes, and
# what `./dev fuzz TARGET` kept in build/fuzz/bin/corpus/. FILE is a part of a path: coverage.sh npy io/npy io/convert
set -euo pipefail
(($# >= 2)) || { echo "usage: fuzz/coverage.sh TARGET FILE..." >&2; exit 2; }
target=$1
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -f build/coverage/build.ninja ]] || cmake --preset coverage >/dev/null
cmake --build build/coverage -j "$(nproc)" --target "fuzz_replay_$target" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=build/coverage/bin/fuzz_replay_$target
{
  grep -v '^$' "build/fuzz/bin/fuzz_$target.seeds" | tr '\n' '\0'
  find "build/fuzz/bin/corpus/$target" "fuzz/crashes/$target" -type f -print0 2>/dev/null || true
} | LLVM_PROFILE_FILE="$work/%p.profraw" TMPDIR=$work xargs -0 "$program" >/dev/null
llvm-profdata merge -o "$work/all" "$work"/*.profraw
sources=()
for part in "$@"; do sources+=(src/*"$part".cpp); done
llvm-cov report "$program" -object build/coverage/lib/libsnapcube.so -instr-profile "$work/all" "${sources[@]}" |
  awk '/^(src|\/|[a-z_0-9]+\/?).*%/ {printf "%-40s %6s of %5s lines\n", $1, $10, $8}'
