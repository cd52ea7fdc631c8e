#!/usr/bin/env bash
# page.sh fresh | same | units | browser PROGRAM MAKE_MODEL: tests of the viewer's page (web/). Ends with 77, which ctest shows as
# skipped, where Node, the page's packages or Chromium are missing; `./dev test` installs all three.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"

missing() { echo "skipped: $1 is missing"; exit 77; }
need_node() {
  command -v node >/dev/null || missing Node
  [[ -d node_modules/vite ]] || missing "web/node_modules (npm ci)"
}

case $1 in
  fresh) # the committed page is built from what is committed
    [[ $(./sources.sh) == "$(cat dist/sources)" ]] ||
      { echo "web/dist is stale: build it with ./dev build, and commit it"; exit 1; }
    ;;
  same) # and building it gives the committed bytes
    need_node
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    node_modules/.bin/tsc --noEmit
    node_modules/.bin/vite build --logLevel warn --emptyOutDir --outDir "$work/dist"
    ./sources.sh >"$work/dist/sources"
    diff -r dist "$work/dist" && echo "the same"
    ;;
  units)
    need_node
    node_modules/.bin/vitest run
    ;;
  browser)
    need_node
    command -v chromium >/dev/null || missing Chromium
    SNAPCUBE_PROGRAM=$2 MAKE_MODEL=$3 node_modules/.bin/vitest run --config vitest.e2e.config.ts
    ;;
esac
