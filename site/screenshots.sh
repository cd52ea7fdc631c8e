#!/usr/bin/env bash
# screenshots.sh PROGRAM OUTPUT: the pictures of the documentation that show the viewer and a report, taken by Chromium without a
# screen: viewer-side.png, viewer-swipe.png, report.png. The scenes and their reconstructions are those
# of `snapcube demo`.
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
output=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for scene in chart still-life; do
  "$program" demo --scene "$scene" --methods gap-tv,twist --output "$scene" >/dev/null
  mkdir -p truth gap-tv twist shots
  cp "$scene/truth.mat" "truth/$scene.mat"
  cp "$scene/measurement.png" "shots/$scene.png"
  for method in gap-tv twist; do cp "$scene/$method.mat" "$method/$scene.mat"; done
done

# shoot NAME SIZE THEME ADDRESS: what the page shows after twenty seconds of its own clock, which goes on where nothing is awaited.
shoot() {
  local scheme=1 # light
  [[ $3 == dark ]] && scheme=0
  chromium --headless=new --no-sandbox --disable-gpu --use-gl=swiftshader --hide-scrollbars --force-device-scale-factor=1 --blink-settings=preferredColorScheme="$scheme" \
    --user-data-dir="$work/profile" --window-size="$2" --virtual-time-budget=20000 --screenshot="$output/$1.png" "$4" \
    >"$work/chromium.log" 2>&1 || { cat "$work/chromium.log" >&2; exit 1; }
  [[ -s $output/$1.png ]] || { cat "$work/chromium.log" >&2; exit 1; }
  echo "$output/$1.png"
}

# viewer ARGUMENTS: the address of a viewer of these files.
viewer() {
  "$program" view --no-open "$@" >"$work/address" &
  server=$!
  while [[ ! -s $work/address ]]; do
    kill -0 "$server" || exit 1
    sleep 0.2
  done
}

viewer still-life/gap-tv.mat still-life/twist.mat --truth still-life/truth.mat
address=$(head -1 "$work/address")
shoot viewer-side 1120,760 dark "$address#ev=0&compare=side&b=2&marks=145-110-16-16_64-150-14-14_178-122-10-10"
shoot viewer-swipe 1120,760 light "$address#ev=0&mode=band&band=20&map=lagoon&b=1&compare=swipe"
kill "$server"

"$program" report GAP-TV=gap-tv truth TwIST=twist --measurements shots --title "Two solvers on synthetic scenes" \
  -o report.html >/dev/null
shoot report 1240,1253 light "file://$work/report.html"
