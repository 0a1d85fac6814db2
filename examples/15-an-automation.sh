#!/bin/sh
# An automation: created once, run manually and by a webhook, and the list of its runs.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

# By default a second run during another one is skipped; this automation queues it.
# A run waits until an idle chat is evicted, and then for the confirmation of its completion.
api /v1/settings -X PATCH -d '{"chat_eviction_after":"1s","completion_confirmation_delay":"0s"}' >/dev/null
made=$(api /v1/automations -d '{"name":"Morning","schedule":{"type":"cron","expression":"30 7 * * mon-fri","time_zone":"Europe/Paris"},
	"overlap":"queue","triggers":[{"type":"webhook","condition":{"required":["level"]}}],"seed":{"text":"hello"}}')
id=$(echo "$made" | grep -o 'aut_[0-9a-f]*' | head -1)
echo "$made" | grep -o '"next_run_at":"[^"]*"'

api "/v1/automations/$id/execute" -X POST | grep -o '"result":"[A-Z]*"'
# The webhook's URL starts a run without a key; the JSON body is added to the first message.
hook=$(echo "$made" | grep -o '/v1/hooks/[^"]*')
curl -fsS -H "Content-Type: application/json" "$BASE$hook" -d '{"host":"db-2"}' | grep '"result":"IGNORED"'
curl -fsS -H "Content-Type: application/json" "$BASE$hook" -d '{"level":"critical","host":"db-2"}' | grep -o '"result":"[A-Z]*"'

n=0
until [ "$(api "/v1/automations/$id/executions" | grep -o '"end_reason":"COMPLETED"' | wc -l)" -eq 2 ]; do
	n=$((n + 1)); [ $n -lt 300 ] || { echo "the runs do not end" >&2; exit 1; }
	sleep 0.2
done
api "/v1/automations/$id/executions" | grep -oE '"(trigger|duration_ms|final_text)":("[^"]*"|[0-9]+)'
api "/v1/automations/$id" -X DELETE
api /v1/settings -X PATCH -d '{"chat_eviction_after":"5m","completion_confirmation_delay":"5s"}' >/dev/null
