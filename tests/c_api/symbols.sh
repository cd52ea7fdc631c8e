#!/usr/bin/env bash
# symbols.sh LIBRARY SOURCE_DIR: the library exports the C functions that programs were compiled against, the header declares
# the same, and the structs that they pass have the sizes they had. A function that goes, or a line here that changes, breaks
# programs: it needs a new major version (the library's SOVERSION).
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
exported=$(nm -D --defined-only "$1" | awk '$2 == "T" && $3 ~ /^snapcube_/ {print $3}' | sort)
declared=$(grep -oE 'SNAPCUBE_C_API [a-z].*\bsnapcube_[a-z_]+\(' "$2/include/snapcube/snapcube_c.h" | grep -oE 'snapcube_[a-z_]+\($' | tr -d '(' | sort)
diff "$here/symbols.txt" <(echo "$exported") || { echo "tests/c_api/symbols.txt (<) and the library (>) differ"; exit 1; }
diff "$here/symbols.txt" <(echo "$declared") || { echo "tests/c_api/symbols.txt (<) and the header (>) differ"; exit 1; }
echo "$(wc -l <"$here/symbols.txt") functions, as before"
