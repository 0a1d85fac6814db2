#!/bin/sh
# Send messages while the session is running: "enqueue" waits in the queue and can be withdrawn,
# "interrupt" cancels the answer, "reject" fails if the session is busy.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

id=$(api /v1/sessions -d '{"name":"Busy"}' | grep -o 'ses_[0-9a-f]*' | head -1)
# Follow the stream, so that the demo provider streams its answer slowly.
api "/v1/sessions/$id/events" -N --max-time 8 -H 'Accept: text/event-stream' >/dev/null 2>&1 &
sleep 0.3
send() { api "/v1/sessions/$id/messages" -d "{\"text\":\"$1\",\"if_busy\":\"$2\"}"; }
send help enqueue >/dev/null
queued=$(send "what do I have" enqueue | grep -o 'msg_[0-9a-f]*' | head -1)
if send "no" reject >/dev/null 2>&1; then echo "it was not busy" >&2; exit 1; fi
api "/v1/sessions/$id/messages/$queued" -X DELETE >/dev/null # withdrawn: never sent
send "ask me for a text" steer >/dev/null                       # joins the answer, or follows it
send "what do I have" interrupt >/dev/null                      # cancels the answer
n=0
until api "/v1/sessions/$id/messages" | grep -q '"status":"interrupted"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "nothing was cut" >&2; exit 1; }
	sleep 0.2
done
if api "/v1/sessions/$id/messages" | grep -q "$queued"; then echo "what was taken back is there" >&2; exit 1; fi
api "/v1/sessions/$id/stop" -X POST >/dev/null # ends the question of the steered message
echo "cut, steered and taken back"
