#!/usr/bin/env bash
# many.sh BIN [FORMAT [ROUNDS]]: what a frame of a folder takes beside the network's own time, on one thread, in one run.
#
# The network's own time is that of `snapcube bench`: the network alone, on one frame, again and again. Both are marginal
# costs, many less few, measured in turns; what the program takes to start is told apart, and added for a folder of 200.
# Ratios are of the clock, which a user sees, and of processor time (all threads, user and system), which hardly depends on
# what else the machine does. Frames of 256×256, MATLAB files; one pass of cst-s without a solver, so that little hides
# what reading and writing cost.
set -euo pipefail
bin=$(realpath "$1") format=${2:-mat} rounds=${3:-5}
few=5 many=30
snapcube=$bin/snapcube
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$snapcube" simulate --scene chart --size 256x256 --random-mask binary --save-mask "$folder/mask.mat" -o "$folder/shot.mat" --quiet
for count in $few $many; do
  mkdir "$folder/shots$count"
  for ((i = 0; i < count; ++i)); do cp "$folder/shot.mat" "$folder/shots$count/f$((100 + i)).mat"; done
done

# cost COMMAND...: seconds of the clock, and of processors
cost() {
  local TIMEFORMAT='%R %U %S'
  { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print $1, $2 + $3}'
}
network() { cost "$snapcube" bench --size 256 --threads 1 --runs "$1"; }
whole() {
  cost "$snapcube" reconstruct "$folder/shots$1" --mask "$folder/mask.mat" --threads 1 --quiet --passes 1 --refine none \
    --format "$format" --again -o "$folder/cubes$1"
  (($(find "$folder/cubes$1" -name "f*.$format" | wc -l) == $1)) || { echo "not all frames were done" >&2; exit 1; }
}

for ((round = 0; round < rounds; ++round)); do
  echo "$(network $few) $(whole $few) $(network $many) $(whole $many)"
done | awk -v n=$((many - few)) -v few=$few -v format="$format" '
  { own[1] += ($5 - $1) / n; own[2] += ($6 - $2) / n; frame[1] += ($7 - $3) / n; frame[2] += ($8 - $4) / n; first[1] += $3; first[2] += $4 }
  END {
    print "| ." format ", " NR " rounds | network, s a frame | frame of a folder, s | ratio | start, s | ratio of 200 frames |"
    print "|---|---:|---:|---:|---:|---:|"
    split("clock processor", names, " ")
    for (k = 1; k <= 2; ++k) {
      start = first[k] / NR - few * frame[k] / NR
      if (start < 0) start = 0
      printf "| %s | %.3f | %.3f | %.2f | %.2f | %.2f |\n", names[k], own[k] / NR, frame[k] / NR, frame[k] / own[k], start,
        (200 * frame[k] / NR + start) / (200 * own[k] / NR)
    }
  }'
