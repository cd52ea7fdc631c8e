#!/usr/bin/env bash
# model_card.sh BIN MODEL KAIST REAL OUT: the figures of a model's card, as Markdown, and pictures of real captures into OUT.
#
# BIN: folder of the programs. KAIST: scene*.mat and mask.mat, 256×256. REAL: scene*.mat (captures) and mask.mat.
# Each call is one evaluation on the test scenes: list it in the card.
set -euo pipefail
bin=$1 model=$2 kaist=$3 real=$4 out=$5
snapcube() { "$bin/snapcube" "$@"; }
mkdir -p "$out"/truth
for scene in "$kaist"/scene*.mat; do ln -sf "$(realpath "$scene")" "$out/truth/"; done

# row NAME MASK [NOISE]: simulates every scene through MASK, reconstructs and prints a row of dB and SSIM.
row() {
  local name=$1 mask=$2 noise=${3:-none} folder=$out/$1 scene method
  mkdir -p "$folder/shots"
  for scene in "$out"/truth/*.mat; do
    snapcube simulate "$scene" --mask "$mask" --noise "$noise" --seed 1 -o "$folder/shots/$(basename "$scene")" --quiet
  done
  for method in "--model $model" "--method gap-tv" "--method twist"; do
    rm -rf "$folder/cubes"
    # shellcheck disable=SC2086 # two words
    snapcube reconstruct "$folder/shots" --mask "$mask" $method -o "$folder/cubes" --quiet >/dev/null
    # name, dB, SSIM, then other metrics; the last row is the mean
    snapcube evaluate "$folder/cubes" "$out/truth" | awk -v name="$name" -v method="${method##* }" '
      NF == 7 && $1 != "mean" { cells = cells " " $2 " |" }
      NF == 7 && $1 == "mean" { printf "| %s | %s |%s **%s** | %.3f |\n", name, method, cells, $2, $3 }'
  done
}

first=$(ls "$out"/truth/*.mat | head -1)
snapcube simulate "$first" --random-mask binary --density 0.5 --seed 20221 --save-mask "$out/binary.mat" -o "$out/unused.mat" --quiet
snapcube simulate "$first" --random-mask grey --density 0.5 --seed 20221 --save-mask "$out/grey.mat" -o "$out/unused.mat" --quiet
rm "$out/unused.mat"

echo "| mask, noise | method | $(cd "$out/truth" && ls | sed 's/\.mat//' | paste -sd'|' | sed 's/|/ | /g') | mean dB | SSIM |"
echo "|---|---|$(for _ in "$out"/truth/*.mat; do printf -- '---:|'; done)---:|---:|"
row published "$kaist/mask.mat"
row published-11-bit "$kaist/mask.mat" shot11
row unseen-binary "$out/binary.mat"
row unseen-grey "$out/grey.mat"

for capture in "$real"/scene*.mat; do
  name=$(basename "$capture" .mat)
  snapcube reconstruct "$capture" --mask "$real/mask.mat" --model "$model" -o "$out/$name.mat" --preview "$out/$name.png" --quiet >/dev/null
done
