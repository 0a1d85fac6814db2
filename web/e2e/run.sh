#!/bin/sh
# The page in headless Chromium against servers of its own: run.sh path/to/fermata
set -eu
bin=$(realpath "${1:?usage: run.sh path/to/fermata [more arguments for run.mjs]}")
shift
cd "$(dirname "$0")"
[ -d node_modules/playwright-core ] || npm ci --no-audit --no-fund >/dev/null
work=$(mktemp -d)
key=e2e-root-key-0123456789-0123456789
FERMATA_LISTEN=127.0.0.1:18191 FERMATA_DATA_DIR=$work/a FERMATA_LOG_LEVEL=warn "$bin" serve & one=$!
FERMATA_LISTEN=127.0.0.1:18192 FERMATA_DATA_DIR=$work/b FERMATA_LOG_LEVEL=warn FERMATA_ROOT_KEY=$key "$bin" serve & two=$!
trap 'kill $one $two 2>/dev/null; wait; rm -rf "$work"' EXIT
for port in 18191 18192; do
	n=0
	until curl -fs "http://127.0.0.1:$port/readyz" >/dev/null; do
		n=$((n + 1)); [ $n -lt 100 ] || { echo "the server does not get ready" >&2; exit 1; }
		sleep 0.1
	done
done
node run.mjs http://127.0.0.1:18191 --locked http://127.0.0.1:18192 "$key" "$@"
