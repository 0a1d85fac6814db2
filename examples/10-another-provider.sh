#!/bin/sh
# Another model: any OpenAI-compatible server (Ollama, vLLM, Groq, Mistral …).
# Set MODEL_URL, MODEL and MODEL_KEY; a private address must also be allowed on
# the server with FERMATA_ALLOWED_HOSTS. A test call reports problems.
set -eu
BASE=${FERMATA_URL:-http://127.0.0.1:8080}
api() { path=$1; shift; curl -fsS ${FERMATA_KEY:+-H "Authorization: Bearer $FERMATA_KEY"} -H "Content-Type: application/json" "$BASE$path" "$@"; }

url=${MODEL_URL:-http://127.0.0.1:11434/v1} model=${MODEL:-llama3.1}
provider=$(api /v1/providers -d "{\"name\":\"Mine\",\"kind\":\"openai_compatible\",
	\"config\":{\"base_url\":\"$url\",\"model\":\"$model\",\"api_key\":\"${MODEL_KEY:-sk-none-needed-here}\"}}" | grep -o 'prv_[0-9a-f]*' | head -1)
# The key is never returned, only a mask.
if api "/v1/providers/$provider" | grep -q 'none-needed'; then echo "the key is shown" >&2; exit 1; fi

test=$(api "/v1/providers/$provider/test" -X POST)
echo "$test"
if [ -n "${MODEL_URL:-}" ]; then
	echo "$test" | grep -q '"ok":true' || exit 1
	api "/v1/providers/$provider" -X PATCH -d '{"is_default":true}' >/dev/null # the default from now on
else
	echo "$test" | grep -q '"ok":\(true\|false\)' || exit 1
	api "/v1/providers/$provider" -X DELETE >/dev/null # only an example
fi
