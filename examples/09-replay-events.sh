#!/bin/sh
# Resume where you left off: everything after event n, without a gap, as a list or as a
# stream; a session's own numbers prove it.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

id=$(api /v1/sessions -d '{"name":"Replay","message":{"text":"help"}}' | grep -o 'ses_[0-9a-f]*' | head -1)
n=0
until api "/v1/sessions/$id" | grep -q '"status":"idle"' && api "/v1/sessions/$id/messages" | grep -q '"sender":"AI"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "no answer" >&2; exit 1; }
	sleep 0.2
done
api "/v1/sessions/$id/events?after=0&limit=200" | grep -o '"seq":[0-9]*,"session_seq":[0-9]*' |
	awk -F: '$3 != NR { exit 1 } END { if (NR < 5) exit 1; print NR, "events, none missing" }'
# The stream from the fourth event on: browsers send Last-Event-ID automatically.
fourth=$(api "/v1/sessions/$id/events?after=0&limit=4" | grep -o '"seq":[0-9]*' | tail -1 | cut -d: -f2)
next=$(api "/v1/sessions/$id/events" -N --max-time 2 -H 'Accept: text/event-stream' -H "Last-Event-ID: $fourth" 2>/dev/null | sed -n 's/^id: //p' | head -1)
[ "$next" -gt "$fourth" ] || { echo "the stream does not continue after $fourth" >&2; exit 1; }
echo "the stream continues after $fourth with $next"
