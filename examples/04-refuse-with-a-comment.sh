#!/bin/sh
# Reject a change with a comment: the AI reads the comment and responds to it.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

zone="Nonsense $$"
id=$(api /v1/sessions -d '{"name":"Refuse","require_validation":true}' | grep -o 'ses_[0-9a-f]*' | head -1)
api "/v1/sessions/$id/messages" -d "{\"text\":\"create a zone $zone\"}" >/dev/null
n=0
until api "/v1/sessions/$id" | grep -q '"phase":"WAITING_VALIDATION"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "it does not ask" >&2; exit 1; }
	sleep 0.2
done
# /validation answers the session's open approval without its id.
api "/v1/sessions/$id/validation" -d '{"approved":false,"comment":"what do I have"}' >/dev/null
until api "/v1/sessions/$id" | grep -q '"status":"idle"'; do
	n=$((n + 1)); [ $n -lt 200 ] || { echo "no answer to the comment" >&2; exit 1; }
	sleep 0.2
done
if api /v1/zones | grep -q "\"name\":\"$zone\""; then echo "it was made all the same" >&2; exit 1; fi
api "/v1/sessions/$id/messages" | grep -q 'what do I have' || { echo "the comment is not in the record" >&2; exit 1; }
api "/v1/sessions/$id/messages" | grep -o '"pre_text":"[^"]*"' | tail -1
