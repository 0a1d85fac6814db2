#!/bin/sh
# The AI asks a question; its form contains the schema of an answer. An invalid answer is
# rejected and the question stays open; the session continues after a valid one.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

id=$(api /v1/sessions -d '{"name":"Question"}' | grep -o 'ses_[0-9a-f]*' | head -1)
api "/v1/sessions/$id/messages" -d '{"text":"ask me something"}' >/dev/null
n=0
until api "/v1/sessions/$id" | grep -q '"phase":"WAITING_COMMUNICATION_RESPONSE"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "it does not ask" >&2; exit 1; }
	sleep 0.2
done
approval=$(api "/v1/sessions/$id" | grep -o 'apr_[0-9a-f]*' | head -1)
option=$(api "/v1/approvals/$approval" | sed 's/.*"options":\["\([^"]*\)".*/\1/')
if api "/v1/sessions/$id/response" -d '{"value":"no such option"}' >/dev/null 2>&1; then echo "a wrong answer passed" >&2; exit 1; fi

api "/v1/sessions/$id/response" -d "{\"value\":\"$option\"}" >/dev/null
until api "/v1/sessions/$id" | grep -q '"status":"idle"'; do
	n=$((n + 1)); [ $n -lt 200 ] || { echo "the session does not continue" >&2; exit 1; }
	sleep 0.2
done
api "/v1/approvals/$approval" | grep -q '"status":"approved"'
echo "answered: $option"
