#!/bin/sh
# The page in headless Chromium against servers of its own: run.sh path/to/fermata [--only WORD] [--shots DIR] [--jobs N]
set -eu
FERMATA_BIN=$(realpath "${1:?usage: run.sh path/to/fermata [--only WORD] [--shots DIR] [--jobs N]}")
export FERMATA_BIN
shift
cd "$(dirname "$0")"
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund >/dev/null
exec node run.mjs "$@"
