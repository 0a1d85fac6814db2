#!/bin/sh
# Data without an AI: a zone, tools in it, entries, statistics, and a search.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

zone=$(api /v1/zones -d '{"name":"Running"}' | grep -o 'zon_[0-9a-f]*' | head -1)
tool=$(api /v1/tools -d "{\"zone_id\":\"$zone\",\"tool_type\":\"tracking\",\"name\":\"Distance\",\"config\":{\"unit\":\"km\"}}" | grep -o 'tol_[0-9a-f]*' | head -1)
api "/v1/tools/$tool/entries/batch" -d '{"entries":[
	{"timestamp":"2026-03-02T07:30:00Z","data":{"value":8.5}},
	{"timestamp":"2026-03-04T07:30:00Z","data":{"value":10}},
	{"timestamp":"2026-03-09T07:30:00Z","data":{"value":5.5}}]}' >/dev/null
# Data that violates its tool's schema is rejected, and none of it is stored.
if api "/v1/tools/$tool/entries" -d '{"data":{"value":"far"}}' >/dev/null 2>&1; then echo "wrong data passed" >&2; exit 1; fi

api "/v1/tools/$tool/entries/stats?group_by=week" | grep -o '{"bucket[^}]*}'
api "/v1/tools/$tool/entries/stats" | grep -q '"sum":24' || { echo "the sum is wrong" >&2; exit 1; }

# A search ignores case and accents; the last word may be incomplete.
notes=$(api /v1/tools -d "{\"zone_id\":\"$zone\",\"tool_type\":\"notes\",\"name\":\"Routes\"}" | grep -o 'tol_[0-9a-f]*' | head -1)
api "/v1/tools/$notes/entries" -d '{"data":{"title":"Le Tour du Château","text":"Ten kilometres, past the old mill."}}' >/dev/null
api "/v1/search?q=CHATEAU+mil&kinds=note" | grep -q '"matches":\["Château","mill"\]' || { echo "the note is not found" >&2; exit 1; }
api "/v1/zones/$zone?force=true" -X DELETE >/dev/null
