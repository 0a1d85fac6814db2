#!/usr/bin/env bash
# Makes a client from openapi.yaml with each of three generators as they come, compiles it,
# and holds a conversation with it. With the path of a fermata binary: against a server of
# its own; without: against FERMATA_URL (http://127.0.0.1:8080 if not set).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/.cache/clients # what is generated and installed stays out of the repository
PATH=$root/.cache/node/bin:$PATH

if [ $# -gt 0 ]; then
	bin=$(realpath "$1")
	data=$(mktemp -d)
	export FERMATA_URL=http://127.0.0.1:18191
	FERMATA_LISTEN=127.0.0.1:18191 FERMATA_DATA_DIR=$data FERMATA_LOG_LEVEL=error "$bin" serve &
	server=$!
	trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true; rm -rf "$data"' EXIT
	n=0
	until curl -fs "$FERMATA_URL/readyz" >/dev/null; do
		n=$((n + 1)); [ $n -lt 100 ] || { echo "the server does not get ready" >&2; exit 1; }
		sleep 0.1
	done
fi

mkdir -p "$work"
cp -R "$here/." "$work"
cd "$work"
[ -f node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ] ||
	npm ci --no-audit --no-fund --loglevel=error >/dev/null

talk() { # name, command…
	echo "== $1"
	shift
	timeout 60 "$@"
}

npx openapi-typescript "$root/openapi.yaml" -o typescript/schema.d.ts >/dev/null
npx tsc -p typescript
talk "openapi-typescript, openapi-fetch" node typescript/built/main.js

(cd hey-api && npx openapi-ts -i "$root/openapi.yaml" -o client >/dev/null)
npx tsc -p hey-api
talk "@hey-api/openapi-ts" node hey-api/built/main.js

cd go
mkdir -p client
go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml "$root/openapi.yaml"
go vet ./...
go build -o talk .
talk "oapi-codegen" ./talk
