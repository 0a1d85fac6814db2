#!/bin/sh
# Why is a session waiting, what happened, what did it cost; and the complete export as a file.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

id=$(api /v1/sessions -d '{"name":"Explained","require_validation":true}' | grep -o 'ses_[0-9a-f]*' | head -1)
api "/v1/sessions/$id/messages" -d "{\"text\":\"create a zone Shed $$\"}" >/dev/null
n=0
until api "/v1/sessions/$id/explain" | grep -q '"kind":"approval"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "it does not wait for a person" >&2; exit 1; }
	sleep 0.2
done
api "/v1/sessions/$id/explain" | sed 's/.*"text":"\([^"]*\)".*/\1/'
api "/v1/sessions/$id/validation" -d '{"approved":false}' >/dev/null

# The timeline in pages of five: each page contains the cursor of the next one.
after= lines=0
while :; do
	page=$(api "/v1/sessions/$id/timeline?limit=5&after=$after")
	lines=$((lines + $(echo "$page" | grep -oE '"kind":"(transition|roundtrip|execution)"' | wc -l)))
	after=$(echo "$page" | sed -n 's/.*"next_cursor":"\([^"]*\)".*/\1/p')
	[ -n "$after" ] || break
done
[ $lines -gt 5 ] && echo "$lines lines in its timeline"
api "/v1/sessions/$id/export?format=markdown" | grep '^# Explained'
api "/v1/usage?group_by=purpose&session_id=$id" | grep -o '"calls":[0-9]*'
