#!/usr/bin/env bash
# Installs the OpenID provider of the lock file, once, outside of the repository, and prints its folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(cd "$here/../.." && pwd)/.cache/sign-in
mkdir -p "$work"
exec 9>"$work/lock"
flock 9
cp "$here"/*.json "$here"/*.mjs "$work"
cd "$work"
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ] &&
	! cmp -s package-lock.json installed.json; then
	npm ci --no-audit --no-fund --loglevel=error >&2
	cp package-lock.json installed.json
fi
echo "$work"
