#!/bin/sh
# Three changes in one answer wait for approval: one is approved, with another
# name than the AI proposed; the others are not applied. What runs is exactly what was shown.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

id=$(api /v1/sessions -d '{"name":"Approve"}' | grep -o 'ses_[0-9a-f]*' | head -1)
api "/v1/sessions/$id/messages" -d "{\"text\":\"create the zones Kitchen $$, Garden $$ and Attic $$\"}" >/dev/null
n=0
until api "/v1/sessions/$id" | grep -q '"phase":"WAITING_VALIDATION"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "it does not ask" >&2; exit 1; }
	sleep 0.2
done
approval=$(api "/v1/sessions/$id" | grep -o 'apr_[0-9a-f]*' | head -1)
api "/v1/approvals/$approval" | grep -o '"text":"[^"]*"'
if api /v1/zones | grep -q "Garden $$"; then echo "it did not wait" >&2; exit 1; fi

second=$(api "/v1/approvals/$approval" | grep -o '"id":"exe_[0-9a-f]*' | sed -n '2s/.*"//p')
api "/v1/approvals/$approval" -d "{\"approved\":true,\"approved_ids\":[\"$second\"],\"edits\":{\"$second\":{\"name\":\"Vegetables $$\"}}}" >/dev/null
until api "/v1/sessions/$id" | grep -q '"status":"idle"'; do
	n=$((n + 1)); [ $n -lt 200 ] || { echo "the session does not continue" >&2; exit 1; }
	sleep 0.2
done
api /v1/zones | grep -q "\"name\":\"Vegetables $$\"" || { echo "the zone is not there" >&2; exit 1; }
if api /v1/zones | grep -q "\(Kitchen\|Garden\|Attic\) $$"; then echo "more was done than approved" >&2; exit 1; fi
