#!/bin/sh
# An exhausted budget does not end a session: it asks. "No" stops the work, a new limit continues it.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }
waits() { # until the session is in this phase
	n=0
	until api "/v1/sessions/$id" | grep -q "$1"; do
		n=$((n + 1)); [ $n -lt 100 ] || { echo "it does not come to $1" >&2; exit 1; }
		sleep 0.2
	done
}
id=$(api /v1/sessions -d '{"name":"Thrifty"}' | grep -o 'ses_[0-9a-f]*' | head -1)
api "/v1/sessions/$id" -X PATCH -d '{"budgets":{"max_tokens_per_round":10}}' >/dev/null
ask() { api "/v1/sessions/$id/messages" -d '{"text":"what do I have"}' >/dev/null; waits '"phase":"WAITING_BUDGET"'; }

ask
approval=$(api "/v1/sessions/$id" | grep -o 'apr_[0-9a-f]*' | head -1)
api "/v1/approvals/$approval" | grep -o '"budget":{[^}]*}'
api "/v1/approvals/$approval" -d '{"approved":false}' >/dev/null
waits '"status":"idle"'
ask
approval=$(api "/v1/sessions/$id" | grep -o 'apr_[0-9a-f]*' | head -1)
api "/v1/approvals/$approval" -d '{"approved":true,"limit":1000000}' >/dev/null
waits '"status":"idle"'
api "/v1/sessions/$id/messages" | grep -o '"pre_text":"[^"]*' | tail -1 # and reports the result of the first
