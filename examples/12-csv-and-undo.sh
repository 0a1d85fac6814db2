#!/bin/sh
# CSV export and import of entries: errors are reported by line and nothing is applied partially;
# deleted data can be restored.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }
send() { curl -sS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H 'Content-Type: text/csv' "$BASE/v1/tools/$tool/entries/import$1" --data-binary "$2"; }

zone=$(api /v1/zones -d '{"name":"Allotment"}' | grep -o 'zon_[0-9a-f]*' | head -1)
tool=$(api /v1/tools -d "{\"zone_id\":\"$zone\",\"tool_type\":\"notes\",\"name\":\"Beds\"}" | grep -o 'tol_[0-9a-f]*' | head -1)
send '' 'timestamp,title,text
2026-03-02,Bed one,"Radishes, two rows"
2026-03-04,,no title' | grep -o '"pointer":"/lines/[^"]*"' || { echo "a wrong line passed" >&2; exit 1; }

rows='timestamp,title,text
2026-03-02,Bed one,"Radishes, two rows"
2026-03-04,Bed two,Kohlrabi'
send '?dry_run=true' "$rows" >/dev/null # only reports what would be imported
[ "$(api "/v1/tools/$tool/entries" -H 'Accept: text/csv' | wc -l)" = 1 ] || { echo "something was stored" >&2; exit 1; }
send '' "$rows" >/dev/null
api "/v1/tools/$tool/entries" -H 'Accept: text/csv'

api "/v1/zones/$zone?force=true" -X DELETE >/dev/null # with its contents; the search no longer finds them
if api '/v1/search?q=kohlrabi' | grep -q "$tool"; then echo "what is deleted is found" >&2; exit 1; fi
api "/v1/zones/$zone/restore" -X POST >/dev/null # within 30 days
api '/v1/search?q=kohlrabi' | grep -q "$tool" || { echo "it did not come back" >&2; exit 1; }
api "/v1/zones/$zone?force=true" -X DELETE >/dev/null
