#!/usr/bin/env bash
# many.sh BIN [FRAMES [THREADS]]: what a folder of frames takes beside the network's own time, in one run.
#
# Ratio: wall clock of the whole program (start, weights, reading, computing, writing) over the sum of the times that the
# method itself took. Frames of 256×256 from random scenes; MATLAB in and out, as users have them.
set -euo pipefail
bin=$1 frames=${2:-200} threads=${3:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/shots"
"$bin/snapcube" simulate --scene chart --size 256x256 --random-mask binary --save-mask "$folder/mask.mat" -o "$folder/shot.mat" --quiet
for ((i = 0; i < frames; ++i)); do
  cp "$folder/shot.mat" "$folder/shots/$(printf 'f%04d.mat' "$i")"
done

# row NAME ARGUMENTS...: one run over the folder
row() {
  local name=$1 start end
  shift
  start=$(date +%s.%N)
  "$bin/snapcube" reconstruct "$folder/shots" --mask "$folder/mask.mat" --threads "$threads" --quiet --json \
    --summary "$folder/summary.json" -o "$folder/$name" "$@" >"$folder/$name.json"
  end=$(date +%s.%N)
  # Only the outer object has peak_memory_mb; every result has its seconds.
  awk -v name="$name" -v wall="$(awk -v a="$start" -v b="$end" 'BEGIN {print b - a}')" '
    /"seconds":/ { gsub(/,/, ""); own += $2; ++n }
    /"peak_memory_mb":/ { gsub(/,/, ""); peak = $2 }
    END { printf "| %s | %d | %.1f | %.1f | %.3f | %.1f | %.0f |\n", name, n, own, wall, wall / own, n / wall, peak }' "$folder/$name.json"
  rm -r "${folder:?}/$name"
}

echo "| run | frames | network, s | whole run, s | ratio | frames a second | peak MB |"
echo "|---|---:|---:|---:|---:|---:|---:|"
row one-pass-mat --passes 1 --refine none
row one-pass-npy --passes 1 --refine none --format npy
row one-pass-h5 --passes 1 --refine none --format h5
