#!/bin/sh
# Approve a change: with require_validation every action of the session waits for a
# person's yes. What runs is exactly what was shown.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

zone="Garden $$"
id=$(api /v1/sessions -d '{"name":"Approve","require_validation":true}' | grep -o 'ses_[0-9a-f]*' | head -1)
api "/v1/sessions/$id/messages" -d "{\"text\":\"create a zone $zone\"}" >/dev/null
n=0
until api "/v1/sessions/$id" | grep -q '"phase":"WAITING_VALIDATION"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "it does not ask" >&2; exit 1; }
	sleep 0.2
done
approval=$(api "/v1/sessions/$id" | grep -o 'apr_[0-9a-f]*' | head -1)
api "/v1/approvals/$approval" | grep -o '"text":"[^"]*"'
if api /v1/zones | grep -q "\"name\":\"$zone\""; then echo "it did not wait" >&2; exit 1; fi

api "/v1/approvals/$approval" -d '{"approved":true}' >/dev/null
until api /v1/zones | grep -q "\"name\":\"$zone\""; do
	n=$((n + 1)); [ $n -lt 200 ] || { echo "the zone is not there" >&2; exit 1; }
	sleep 0.2
done
echo "the zone $zone is there"
