#!/bin/sh
# Send while the session works: "enqueue" waits its turn and can be taken back,
# "interrupt" cuts the answer, "reject" is told that it is busy.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

id=$(api /v1/sessions -d '{"name":"Busy"}' | grep -o 'ses_[0-9a-f]*' | head -1)
# Somebody listens, so that the demo takes its time over the words.
api "/v1/sessions/$id/events" -N --max-time 8 -H 'Accept: text/event-stream' >/dev/null 2>&1 &
sleep 0.3
send() { api "/v1/sessions/$id/messages" -d "{\"text\":\"$1\",\"if_busy\":\"$2\"}"; }
send help enqueue >/dev/null
queued=$(send "what do I have" enqueue | grep -o 'msg_[0-9a-f]*' | head -1)
if send "no" reject >/dev/null 2>&1; then echo "it was not busy" >&2; exit 1; fi
api "/v1/sessions/$id/messages/$queued" -X DELETE >/dev/null # taken back: never sent
send "ask me for a text" steer >/dev/null                       # joins, or follows the answer
send "what do I have" interrupt >/dev/null                      # and this cuts it
n=0
until api "/v1/sessions/$id/messages" | grep -q '"status":"interrupted"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "nothing was cut" >&2; exit 1; }
	sleep 0.2
done
if api "/v1/sessions/$id/messages" | grep -q "$queued"; then echo "what was taken back is there" >&2; exit 1; fi
api "/v1/sessions/$id/stop" -X POST >/dev/null # the steered message asks something: nobody is to answer
echo "cut, steered and taken back"
