#!/usr/bin/env bash
# many.sh BIN [FRAMES [FORMAT...]]: what a folder of frames takes beside the network's own time, on one thread, in one run.
#
# The network's own time is that of `snapcube bench` (the network alone, again and again): the difference between many and
# few runs of it, before and after each folder. Ratios are given of the clock and of processor time (of all threads, user
# and system): the first is what a user sees, the second does not depend on what else the machine does. Frames of 256×256
# as MATLAB files; the program's start and the reading of weights count.
set -euo pipefail
bin=$(realpath "$1") frames=${2:-200} formats=("${@:3}")
((${#formats[@]})) || formats=(mat npy h5)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/shots"
snapcube=$bin/snapcube
"$snapcube" simulate --scene chart --size 256x256 --random-mask binary --save-mask "$folder/mask.mat" -o "$folder/shot.mat" --quiet
for ((i = 0; i < frames; ++i)); do cp "$folder/shot.mat" "$folder/shots/$(printf 'f%04d.mat' "$i")"; done

# cost COMMAND...: seconds of the clock, and of all processors
cost() {
  local TIMEFORMAT='%R %U %S'
  { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print $1, $2 + $3}'
}
# network: seconds of a frame in the network alone, clock and processor
network() {
  local few=5 many=35
  paste <(cost "$snapcube" bench --size 256 --threads 1 --runs $few) <(cost "$snapcube" bench --size 256 --threads 1 --runs $many) |
    awk -v n=$((many - few)) '{print ($3 - $1) / n, ($4 - $2) / n}'
}
# row NAME ARGUMENTS...
row() {
  local name=$1 before after whole
  shift
  before=$(network)
  whole=$(cost "$snapcube" reconstruct "$folder/shots" --mask "$folder/mask.mat" --threads 1 --quiet --passes 1 --refine none \
    --summary "$folder/s.csv" -o "$folder/cubes" "$@")
  after=$(network)
  [[ $(grep -c ,done, "$folder/s.csv") == "$frames" ]] || { echo "$name: not all frames were done" >&2; exit 1; }
  rm -r "${folder:?}/cubes"
  echo "$before $after $whole" | awk -v name="$name" -v n="$frames" '{
    clock = ($1 + $3) / 2; own = ($2 + $4) / 2
    printf "| %s | %d | %.3f | %.3f | %.2f | %.3f | %.3f | %.2f |\n", name, n, clock, $5 / n, $5 / n / clock, own, $6 / n, $6 / n / own }'
}

echo "| to | frames | network, s a frame | whole run | ratio | network, processor s | whole run | ratio |"
echo "|---|---:|---:|---:|---:|---:|---:|---:|"
for format in "${formats[@]}"; do row ".$format" --format "$format"; done
