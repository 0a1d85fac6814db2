#!/bin/sh
# The page in headless Chromium against servers of its own: run.sh path/to/fermata
set -eu
bin=$(realpath "${1:?usage: run.sh path/to/fermata [more arguments for run.mjs]}")
shift
cd "$(dirname "$0")"
[ -d node_modules/playwright-core ] || npm ci --no-audit --no-fund >/dev/null
work=$(mktemp -d)
key=e2e-root-key-0123456789-0123456789
# start NAME PORT: a server that leaves its number in $work/NAME.pid.
cat >"$work/start" <<END
#!/bin/sh
FERMATA_LISTEN=127.0.0.1:\$2 FERMATA_DATA_DIR=$work/\$1 FERMATA_LOG_LEVEL=error FERMATA_LEASE_TTL=3s "$bin" serve &
echo \$! >$work/\$1.pid
n=0
until curl -fs "http://127.0.0.1:\$2/readyz" >/dev/null; do
	n=\$((n + 1)); [ \$n -lt 100 ] || { echo "the server does not get ready" >&2; exit 1; }
	sleep 0.1
done
END
cat >"$work/restart" <<END
#!/bin/sh
kill -9 "\$(cat "$work/open.pid")"
sleep 3
exec "$work/start" open 18191
END
chmod +x "$work/start" "$work/restart"
trap 'kill $(cat "$work"/*.pid) 2>/dev/null || true; sleep 1; rm -rf "$work"' EXIT
"$work/start" open 18191
FERMATA_ROOT_KEY=$key "$work/start" locked 18192
node run.mjs http://127.0.0.1:18191 --locked http://127.0.0.1:18192 "$key" --restart "$work/restart" "$@"
