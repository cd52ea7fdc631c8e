#!/usr/bin/env bash
# lamps.sh BIN CAVE MASK OUT METHOD...: mean dB of methods on scenes under lamps that their data set does not have, as Markdown.
#
# BIN: folder of the programs. CAVE: a folder of scenes, of which the middles of the four that no training here has seen are
# taken. METHOD: an option of reconstruct, such as '--model cst-s' or '--method gap-tv'. Needs Debian's python3-numpy.
set -euo pipefail
bin=$1 cave=$2 mask=$3 out=$4
shift 4
here=$(dirname "$0")
snapcube() { "$bin/snapcube" "$@"; }

mkdir -p "$out/daylight"
for scene in chart_and_stuffed_toy fake_and_real_lemons hairs sponges; do
  cube=$out/daylight/$scene.npy
  snapcube convert "$cave/${scene}_ms" "$cube" --crop 128,128,256,256 --wavelengths published --type f32 --quiet
  /usr/bin/python3 "$here/lamps.py" "$cube" "$out"
done

lamps=(daylight bulb sky led fluorescent)
for lamp in "${lamps[@]}"; do
  mkdir -p "$out/shots/$lamp"
  for cube in "$out/$lamp"/*.npy; do
    snapcube simulate "$cube" --mask "$mask" --input-wavelengths published -o "$out/shots/$lamp/$(basename "$cube")" --quiet
  done
done

printf '| method |%s\n|---|%s\n' "$(printf ' %s |' "${lamps[@]}")" "$(printf -- '---:|%.0s' "${lamps[@]}")"
for method in "$@"; do
  row="| ${method#* } |"
  for lamp in "${lamps[@]}"; do
    rm -rf "$out/cubes"
    # shellcheck disable=SC2086 # two words
    snapcube reconstruct "$out/shots/$lamp" --mask "$mask" $method -o "$out/cubes" --quiet >/dev/null
    row+=" $(snapcube evaluate "$out/cubes" "$out/$lamp" | awk '$1 == "mean" { print $2 }') |"
  done
  echo "$row"
done
