#!/usr/bin/env bash
# layers.sh SOURCE_DIR: every include between two layers, that is folders of src/, stands in the table of
# docs/architecture.md, and the table has no layer that is not there.
set -euo pipefail
cd "$1"

# "| `io` | `base` `draw` | what it is |" → allowed["io base"], allowed["io draw"]
declare -A layers allowed
while IFS='|' read -r _ name includes _; do
  name=$(tr -d '` ' <<<"$name")
  layers[$name]=1
  for other in ${includes//\`/}; do allowed["$name $other"]=1; done
done < <(grep -E '^\| `[a-z_]+` \|' docs/architecture.md)

status=0
complain() { echo "$1"; status=1; }

for folder in src/*/; do
  name=$(basename "$folder")
  [[ -n ${layers[$name]:-} ]] || complain "src/$name is not in the table of docs/architecture.md"
done
for name in "${!layers[@]}"; do [[ -d src/$name ]] || complain "docs/architecture.md names $name, which src/ does not have"; done

# The table itself has no circle: layers that include nothing are taken away until none is left.
declare -A left
for name in "${!layers[@]}"; do left[$name]=1; done
while ((${#left[@]})); do
  taken=
  for name in "${!left[@]}"; do
    free=yes
    for other in "${!left[@]}"; do [[ -n ${allowed["$name $other"]:-} ]] && free=; done
    [[ $free ]] && { unset "left[$name]"; taken=yes; }
  done
  [[ $taken ]] || { complain "the table has a circle among: ${!left[*]}"; break; }
done

checked=0
while read -r file from to; do
  [[ $from == "$to" || -n ${allowed["$from $to"]:-} ]] ||
    complain "$file includes $to/, which the table of docs/architecture.md does not allow to $from"
  checked=$((checked + 1))
done < <(grep -roE '^#include "[a-z0-9_]+/[^"]+"' src --include='*.h' --include='*.cpp' |
  sed -E 's#^(src/([a-z0-9_]+)/[^:]*):.include "([a-z0-9_]+)/.*#\1 \2 \3#')
echo "$checked includes checked"
((checked > 50)) || complain "far fewer than expected: does the pattern still fit?"
exit $status
