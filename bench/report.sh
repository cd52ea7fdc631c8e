#!/usr/bin/env bash
# report.sh BIN_DIR OUT.md: runs the benchmarks five times over and writes medians, with what the machine is.
set -euo pipefail
bin=$1
out=$2
reference=build/release/bin # of snapcube-train, where it is built
results=$(mktemp)
table=$(mktemp)

# seconds SIZE THREADS: the median of a few runs of CST-S
seconds() { "$bin/snapcube" bench --size "$1" --threads "$2" --runs "$3" --json | sed -n 's/.*"median_s": \([0-9.e-]*\).*/\1/p'; }

# median: of the numbers on standard input
median() { sort -g | awk '{v[NR] = $1} END {printf "%.2f", v[int((NR + 1) / 2)]}'; }

trap 'rm -f "$results" "$table"' EXIT
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
    /_median"/ && !/^"machine/ && !/^"(row_product|depthwise_gelu|gelu|exponential|layer_norm|hash_and_sort|bucket_attention)/ {
      name = $1; gsub(/"|_median|\/real_time/, "", name); label = $col["label"]; gsub(/"/, "", label)
      printf "| %s%s | %.2f | %s | %s | %s |\n", name, label ? " (" label ")" : "", $col["real_time"],
        ($col["GB/s"] + 0 > 0) ? sprintf("%.1f", $col["GB/s"]) : "", ($col["of_triad"] + 0 > 0) ? sprintf("%.0f %%", 100 * $col["of_triad"]) : "",
        ($col["dB"] + 0 > 0) ? sprintf("%.2f", $col["dB"]) : ""}' "$results"
  echo
  echo "## Kernels of the engine, one thread"
  echo
  echo "\"Of peak\" is the share of the multiply-adds that a core reaches in registers. row_product: outputs, inputs, taps,"
  echo "pixels, activation (3 is GELU, which is not counted); depthwise with GELU; bucket_attention: depth, with its exponentials."
  echo
  echo "| kernel | µs | GFLOP/s | of peak | Gelements/s |"
  echo "|---|---:|---:|---:|---:|"
  awk -F, '/^name/ {for (i = 1; i <= NF; i++) {gsub(/"/, "", $i); col[$i] = i}}
    /_median"/ && /^"(row_product|depthwise_gelu|gelu|exponential|layer_norm|hash_and_sort|bucket_attention)/ {
      name = $1; gsub(/"|_median/, "", name)
      printf "| %s | %.2f | %s | %s | %.2f |\n", name, $col["real_time"],
        ($col["GFLOP/s"] + 0 > 0) ? sprintf("%.0f", $col["GFLOP/s"]) : "",
        ($col["of_peak"] + 0 > 0) ? sprintf("%.0f %%", 100 * $col["of_peak"]) : "", $col["Gelements/s"]}' "$results"
  echo
  echo "## The engine"
  echo
  echo "\"GMAC/s\" and \"of peak\" count the multiply-adds of the reference network, of which the engine does not need all."
  [[ -x $reference/snapcube-train ]] && echo "libtorch: the reference network, tuned, in the same run, a frame each in turn."
  echo
  header=yes
  for model in cst-s cst-m cst-l cst-l-star; do
    for threads in ${OMP_NUM_THREADS:-$(nproc)} 1; do
      against=()
      [[ $threads != 1 && -x $reference/snapcube-train ]] && against=(--against torch)
      PATH="$reference:$PATH" "$bin/snapcube" bench --model "$model" --threads "$threads" --markdown "${against[@]}" >"$table"
      if [[ -n $header ]]; then head -2 "$table"; header=; fi
      # Rows without a reference get the empty cells of its columns.
      tail -1 "$table" | if [[ $threads == 1 && -x $reference/snapcube-train ]]; then sed 's/$/  |  |/'; else cat; fi
    done
  done
  echo
  echo "### How CST-S scales"
  echo
  echo "In turns, eleven rounds; the median of the rounds' ratios."
  echo
  for round in {1..11}; do
    one=$(seconds 256 1 4)
    two=$(seconds 256 2 7)
    large=$(seconds 1024 2 1)
    echo "$one $two $large"
  done >"$table"
  echo "| | |"
  echo "|---|---:|"
  echo "| 256², one thread to two | $(awk '{print $1 / $2}' "$table" | median) times as fast |"
  echo "| cost of a pixel, 1024² to 256² | $(awk '{print $3 / 16 / $2}' "$table" | median) |"
  if [[ -x $bin/snapcube_overhead ]]; then
    echo
    echo "## From Python"
    echo
    echo "What a call of \`Reconstructor.reconstruct\` costs beyond the same call from C++: GAP-TV's single iteration at 256², one"
    echo "thread, its processor time; both in turns, medians of 40 calls. At most 0.3 ms is wanted."
    echo
    PYTHONPATH=$bin/../python /usr/bin/python3 python/bench/overhead.py "$bin/snapcube_overhead" | tail -1
  fi
} >"$out.new"
mv "$out.new" "$out"
echo "wrote $out"
