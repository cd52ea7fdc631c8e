#!/usr/bin/env bash
# layers.sh SOURCE_DIR: a folder of src/ is a layer, and includes only point down (or to the same layer).
set -euo pipefail
cd "$1"
order=(base draw io optics kernels metrics solvers render models engine gradients nets train serve report commands)
declare -A rank
for i in "${!order[@]}"; do rank[${order[$i]}]=$i; done

status=0
checked=0
while IFS=: read -r file included; do
  from=$(cut -d/ -f2 <<<"$file")
  to=${included%%/*}
  if [[ -z ${rank[$from]:-} || -z ${rank[$to]:-} ]]; then
    echo "$file includes \"$included\": one of the two is no known layer (${order[*]})"
    status=1
  elif ((rank[$to] > rank[$from])); then
    echo "$file includes \"$included\", which lies above it"
    status=1
  fi
  checked=$((checked + 1))
done < <(grep -roE '^#include "[a-z0-9_]+/[^"]+"' src --include='*.h' --include='*.cpp' | sed -E 's/#include "([^"]+)"/\1/')
echo "$checked includes checked"
((checked > 50)) || { echo "far fewer than expected: does the pattern still fit?"; status=1; }
exit $status
