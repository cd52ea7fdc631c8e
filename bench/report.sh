#!/usr/bin/env bash
# report.sh BIN_DIR OUT.md: runs the benchmarks five times over and writes medians, with what the machine is.
set -euo pipefail
bin=$1
out=$2
results=$(mktemp)
trap 'rm -f "$results"' EXIT
"$bin/snapcube_bench" --benchmark_repetitions=5 --benchmark_report_aggregates_only=true \
  --benchmark_format=csv >"$results" 2>/dev/null
{
  echo "# Benchmarks"
  echo
  echo "Written by \`./dev bench\`. Medians of five runs; seconds belong to the machine below, ratios travel further."
  echo "\"Of triad\" is the share of the bandwidth that a[i] = b[i] + s·c[i] reaches over arrays of one frame's size in the"
  echo "same run, caches and all."
  echo
  echo "| machine | |"
  echo "|---|---|"
  echo "| processor | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1) |"
  echo "| threads | ${OMP_NUM_THREADS:-$(nproc)} |"
  echo "| compiler | $(g++ --version | head -1) |"
  awk -F, '/^name/ {for (i = 1; i <= NF; i++) {gsub(/"/, "", $i); col[$i] = i}}
    /^"machine/ && /_median"/ {
      printf "| memory bandwidth (triad) | %.1f GB/s |\n", $col["memory_GB/s"]
      printf "| bandwidth at one frame'\''s size | %.1f GB/s |\n", $col["frame_GB/s"]
      printf "| multiply-adds, float | %.0f GFLOP/s |\n", $col["FMA_GFLOP/s"]}' "$results"
  echo
  echo "| 28 bands of 256×256 | ms | GB/s | of triad | dB |"
  echo "|---|---:|---:|---:|---:|"
  awk -F, '/^name/ {for (i = 1; i <= NF; i++) {gsub(/"/, "", $i); col[$i] = i}}
    /_median"/ && !/^"machine/ {
      name = $1; gsub(/"|_median|\/real_time/, "", name); label = $col["label"]; gsub(/"/, "", label)
      printf "| %s%s | %.2f | %s | %s | %s |\n", name, label ? " (" label ")" : "", $col["real_time"],
        ($col["GB/s"] + 0 > 0) ? sprintf("%.1f", $col["GB/s"]) : "", ($col["of_triad"] + 0 > 0) ? sprintf("%.0f %%", 100 * $col["of_triad"]) : "",
        ($col["dB"] + 0 > 0) ? sprintf("%.2f", $col["dB"]) : ""}' "$results"
} >"$out.new"
mv "$out.new" "$out"
echo "wrote $out"
