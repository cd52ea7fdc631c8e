#!/usr/bin/env bash
# run.sh BUILD_DIR SOURCE_DIR: installs into an empty prefix, builds a ten-line consumer against it, runs both programs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null
cmake -G Ninja -S "$2" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="${3:-}" -DCMAKE_C_FLAGS="${3:-}" >/dev/null
cmake --build "$work/consumer" >/dev/null
(cd / && env -u SNAPCUBE_MODELS "$work/consumer/consumer" "$work/cube.h5")
"$work/consumer/c_consumer" "$work/c_cube.h5"
cmp "$work/cube.h5" "$work/c_cube.h5" # the same cube, through either API
"$work/prefix/bin/snapcube" inspect "$work/cube.h5"
# The lines of docs/c.md compile.
{
  printf '#include <snapcube/snapcube_c.h>\n#include <stdio.h>\nstatic float pixels[1], values[1];\nint main(void) {\n'
  sed -n '/^```c$/,/^```$/ {/^```/!p}' "$2/../../docs/c.md"
  echo 'return 0; }'
} | cc -std=c11 -Wall -Werror -fsyntax-only -I "$work/prefix/include" -x c -
# pkg-config leads to the same.
pc=$(dirname "$(find "$work/prefix" -name snapcube.pc)")
# shellcheck disable=SC2046
cc ${3:-} "$2/consumer.c" -o "$work/pc_consumer" $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs snapcube)
LD_LIBRARY_PATH=$(dirname "$pc") "$work/pc_consumer" "$work/pc_cube.h5"
cmp "$work/cube.h5" "$work/pc_cube.h5"
# Man pages and completion tell what --help tells.
if [[ -d $work/prefix/share/man ]]; then
  for command in $("$work/prefix/bin/snapcube" --help | awk '/^Subcommands:/ {on = 1; next} on && /^  [a-z]/ {print $1}'); do
    grep -q '^\\fB.*help' "$work/prefix/share/man/man1/snapcube-$command.1"
  done
  (
    # shellcheck disable=SC1091
    source "$work/prefix/share/bash-completion/completions/snapcube"
    COMP_WORDS=(snapcube recon) COMP_CWORD=1 && _snapcube && [[ ${COMPREPLY[*]} == reconstruct ]]
    COMP_WORDS=(snapcube reconstruct --mas) COMP_CWORD=2 && _snapcube && [[ ${COMPREPLY[*]} == --mask ]]
  )
  ! command -v zsh >/dev/null || zsh -n "$work/prefix/share/zsh/vendor-completions/_snapcube"
fi
"$work/prefix/bin/snapcube" convert "$work/cube.h5" "$work/cube.tif"
refuse() { # refuse WHAT: what standard input must not hold
  if grep -E "$1"; then exit 1; fi
}
ldd "$work/prefix/bin/snapcube" "$work"/prefix/lib*/snapcube-*/libsnapcube-formats.so | refuse "$1" # the installed program must not need the build tree
# No program looks for libraries in the current folder.
readelf -d "$1"/bin/snapcube* "$work"/prefix/bin/* | refuse 'R(UN)?PATH.*(\[:|::|:\])'
