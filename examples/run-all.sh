#!/bin/sh
# Runs every example. With the path of a fermata binary: against its own server;
# without: against FERMATA_URL (default: http://127.0.0.1:8080).
set -eu
if [ $# -gt 0 ]; then
	bin=$(realpath "$1")
	work=$(mktemp -d)
	FERMATA_LISTEN=127.0.0.1:18190 FERMATA_DATA_DIR=$work FERMATA_LOG_LEVEL=error "$bin" serve &
	server=$!
	trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true; rm -rf "$work"' EXIT
	export FERMATA_URL=http://127.0.0.1:18190
	n=0
	until curl -fs "$FERMATA_URL/readyz" >/dev/null; do
		n=$((n + 1)); [ $n -lt 100 ] || { echo "the server does not get ready" >&2; exit 1; }
		sleep 0.1
	done
fi
cd "$(dirname "$0")"
failed=0
for example in [0-9]*.sh; do
	if out=$(./"$example" 2>&1); then echo "ok    $example"; else failed=1; echo "FAIL  $example"; echo "$out" | sed 's/^/      /'; fi
done
exit $failed
