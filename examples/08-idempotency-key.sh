#!/bin/sh
# The same Idempotency-Key: carried out once, however often it is requested; also after a
# crash in between.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

key="example-$$-$(date +%s)"
first=$(api /v1/sessions -H "Idempotency-Key: $key" -d '{"name":"Once"}' | grep -o 'ses_[0-9a-f]*' | head -1)
again=$(api /v1/sessions -i -H "Idempotency-Key: $key" -d '{"name":"Once"}')
echo "$again" | grep -qi '^idempotent-replayed: true' || { echo "it does not say that it is a repetition" >&2; exit 1; }
[ "$first" = "$(echo "$again" | grep -o '"id":"ses_[0-9a-f]*' | head -1 | cut -d'"' -f4)" ] || { echo "a second session was made" >&2; exit 1; }

# The same key with a different body is an error.
status=$(curl -sS -o /dev/null -w '%{http_code}' ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} \
	-H 'Content-Type: application/json' -H "Idempotency-Key: $key" -d '{"name":"Other"}' "$BASE/v1/sessions")
[ "$status" = 422 ] || { echo "another body gave $status" >&2; exit 1; }
echo "once: $first"
