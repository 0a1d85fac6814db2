#!/bin/sh
# Follow a session while it answers: every phase, every message, and the text as it
# is streamed. after=0 replays from the session's first event.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

id=$(api /v1/sessions -d '{"name":"Watched"}' | grep -o 'ses_[0-9a-f]*' | head -1)
seen=$(mktemp)
trap 'kill "$watcher" 2>/dev/null || true; rm -f "$seen"' EXIT
curl -fsSN ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H 'Accept: text/event-stream' \
	"$BASE/v1/sessions/$id/events?after=0" >"$seen" &
watcher=$!
n=0
until grep -q '^retry:' "$seen"; do # connected: an answer is streamed to connected clients only
	n=$((n + 1)); [ $n -lt 100 ] || { echo "the stream does not open" >&2; exit 1; }
	sleep 0.1
done
api "/v1/sessions/$id/messages" -d '{"text":"help"}' >/dev/null
until grep -q '"phase":"IDLE"' "$seen" && grep -q '^event: message.delta' "$seen" && grep -q '"sender":"AI"' "$seen"; do
	n=$((n + 1)); [ $n -lt 200 ] || { echo "the stream does not show an answer" >&2; exit 1; }
	sleep 0.2
done
sed -n 's/^event: //p' "$seen" | sort | uniq -c
