#!/usr/bin/env bash
# other_cameras.sh BIN SCENES MASK OUT METHOD...: mean dB of methods on cameras other than the published one, as Markdown.
#
# BIN: folder of the programs. SCENES: a folder of cubes with the 28 published bands, as large as MASK. METHOD: an option of
# reconstruct, such as '--model prism-s' or '--method gap-tv'. Needs Debian's python3-numpy.
set -euo pipefail
bin=$1 scenes=$2 mask=$3 out=$4
shift 4
snapcube() { "$bin/snapcube" "$@"; }

# A prism: 54 pixels from the first band to the last, 0.7 apart in the red and 2.6 in the blue, or the other way round.
prism=$(/usr/bin/python3 -c 'print(",".join(f"{54 * (b / 27) ** 1.3:.3f}" for b in range(28)))')
# 24 bands over the same range.
even=$(/usr/bin/python3 -c 'print(",".join(f"{453.5 + b * (648 - 453.5) / 23:.2f}" for b in range(24)))')

mkdir -p "$out/truth28" "$out/truth24"
for scene in "$scenes"/*; do
  name=$(basename "${scene%.*}")
  [[ $name == mask ]] && continue
  snapcube convert "$scene" "$out/truth28/$name.npy" --type f32 --quiet
  snapcube convert "$scene" "$out/truth24/$name.npy" --input-wavelengths published --wavelengths "$even" --type f32 --quiet
done

cameras=("step 2:--step 2" "step 1:--step 1" "step 3:--step 3" "prism curve:--offsets $prism" "24 bands:--bands 24 --step 2")
printf '| method |%s\n|---|%s\n' "$(printf ' %s |' "${cameras[@]%%:*}")" "$(printf -- '---:|%.0s' "${cameras[@]}")"
for method in "$@"; do
  row="| ${method#* } |"
  for camera in "${cameras[@]}"; do
    options=${camera#*:}
    truth=$out/truth28
    [[ $options == *"--bands 24"* ]] && truth=$out/truth24
    rm -rf "$out/shots" "$out/cubes"
    mkdir -p "$out/shots"
    for scene in "$truth"/*; do
      # shellcheck disable=SC2086 # words of an option
      snapcube simulate "$scene" --mask "$mask" $options -o "$out/shots/$(basename "$scene")" --quiet
    done
    # shellcheck disable=SC2086
    if snapcube reconstruct "$out/shots" --mask "$mask" $method $options -o "$out/cubes" --quiet >/dev/null; then
      row+=" $(snapcube evaluate "$out/cubes" "$truth" | awk '$1 == "mean" { print $2 }') |"
    else
      row+=" – |"
    fi
  done
  echo "$row"
done
