#!/bin/sh
# A first chat: create a session, send a message, read the answer.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

# The session's id is the first string in the response that begins with ses_.
id=$(api /v1/sessions -d '{"name":"First chat"}' | grep -o 'ses_[0-9a-f]*' | head -1)
# 202 means that the message is durable: it will be answered, even after a crash.
api "/v1/sessions/$id/messages" -d '{"text":"help"}' >/dev/null

n=0
until api "/v1/sessions/$id" | grep -q '"status":"idle"' && api "/v1/sessions/$id/messages" | grep -q '"sender":"AI"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "no answer" >&2; exit 1; }
	sleep 0.2
done
api "/v1/sessions/$id/messages" | sed 's/.*"pre_text":"\([^"]*\)".*/\1/; s/\\n/\n/g'
