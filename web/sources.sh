#!/usr/bin/env bash
# sources.sh: a checksum of everything that the built page (dist/) is made of. `npm run build` notes it in dist/sources;
# where the two differ, the built page is stale.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export LC_ALL=C
find src public index.html package.json package-lock.json tsconfig.json vite.config.ts -type f | sort | xargs sha256sum | sha256sum | cut -d' ' -f1
