#!/usr/bin/env bash
# The page in headless Chromium against servers of its own:
#   run.sh path/to/fermata [--only WORD] [--shots DIR] [--jobs N]
#   run.sh path/to/fermata --screenshots     makes the pictures in docs/images
set -eu
FERMATA_BIN=$(realpath "${1:?usage: run.sh path/to/fermata [--only WORD] [--shots DIR] [--jobs N]}")
shift
cd "$(dirname "$0")"
PATH=$PWD/../../.cache/node/bin:$PATH # as in the Makefile
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  CHROMIUM=${CHROMIUM:-$(command -v "$name" || true)}
done
export FERMATA_BIN CHROMIUM
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --loglevel=error >/dev/null
script=run.mjs
[ "${1:-}" != --screenshots ] || { script=screenshots.mjs; shift; }
exec node "$script" "$@"
