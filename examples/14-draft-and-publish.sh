#!/bin/sh
# A document is a draft until it is published, and published versions stay readable.
# The AI's own drafts always need approval.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

id=$(api /v1/sessions -d '{"name":"Writer"}' | grep -o 'ses_[0-9a-f]*' | head -1)
api "/v1/sessions/$id/messages" -d "{\"text\":\"draft a document Rules $$: Shoes off.\"}" >/dev/null
n=0
until api "/v1/sessions/$id" | grep -q '"phase":"WAITING_VALIDATION"'; do
	n=$((n + 1)); [ $n -lt 100 ] || { echo "it does not ask" >&2; exit 1; }
	sleep 0.2
done
api "/v1/sessions/$id/validation" -d '{"approved":true}' >/dev/null
until doc=$(api '/v1/search?q=shoes&kinds=document' | grep -o 'doc_[0-9a-f]*' | head -1) && [ -n "$doc" ]; do
	n=$((n + 1)); [ $n -lt 200 ] || { echo "there is no draft" >&2; exit 1; }
	sleep 0.2
done
api "/v1/documents/$doc/publish" -X POST >/dev/null
api "/v1/documents/$doc" -X PATCH -d '{"body":"Shoes off. No music after ten."}' >/dev/null
api "/v1/documents/$doc" | grep -q '"published_body":"Shoes off\."' || { echo "a draft is read as if it were published" >&2; exit 1; }
api "/v1/documents/$doc/publish" -X POST >/dev/null
api "/v1/documents/$doc/versions" | grep -o '"version":[0-9]*'
api "/v1/documents/$doc" -X DELETE >/dev/null
