package openai

import (
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/providers"
)

// openAISchema is the config of OpenAI itself: a model and a key are enough.
func openAISchema() json.RawMessage {
	return schema(
		`"base_url": {"type": "string", "title": "Base URL", "format": "uri", "pattern": "^https?://", "default": "` + openAI.BaseURL + `", "description": "With /v1; only for a proxy in front of OpenAI"}`,
	)
}

// compatibleSchema is the config of all others, with the presets' names filled in.
func compatibleSchema() json.RawMessage {
	var names, urls []string
	for _, p := range presets {
		names = append(names, p.Name)
		if p.BaseURL != "" {
			urls = append(urls, p.BaseURL)
		}
	}
	nameList, _ := json.Marshal(names) // strings always marshal
	urlList, _ := json.Marshal(urls)
	return schema(
		`"preset": {"type": "string", "title": "Vendor", "enum": ` + string(
			nameList,
		) + `, "description": "Sets what is special about a vendor. Found from the base URL when left out."},
    "base_url": {"type": "string", "title": "Base URL", "format": "uri", "pattern": "^https?://", "description": "With /v1, for example http://127.0.0.1:11434/v1. May be left out where the vendor has one.", "examples": ` + string(
			urlList,
		) + `}`,
	)
}

func schema(own string) json.RawMessage {
	return json.RawMessage(strings.Replace(schemaText, `"$own": {}`, own, 1))
}

const schemaText = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "required": ["model"],
  "properties": {
    "$own": {},
    "model": {"type": "string", "title": "Model", "minLength": 1, "maxLength": 200},` + providers.KeySchema + `
    "small_model": {"type": "string", "title": "Small model", "description": "For summaries", "maxLength": 200},
    "protocol": {"type": "string", "title": "Protocol", "enum": ["native", "json"], "description": "native: commands are offered as tools. json: the model answers with one JSON object."},
    "structured_output": {"type": "string", "title": "Structured output", "enum": ["schema", "object", "none"], "description": "How the JSON protocol's answer is asked for. The vendor's best when left out."},
    "parallel_tool_calls": {"type": "boolean", "title": "Several calls in one answer", "description": "The model's own habit when left out."},
    "max_tokens": {"type": "integer", "title": "Longest answer (tokens)", "minimum": 1, "maximum": 1000000, "default": 4096},
    "temperature": {"type": "number", "minimum": 0, "maximum": 2},
    "top_p": {"type": "number", "minimum": 0, "maximum": 1},
    "reasoning_effort": {"type": "string", "title": "Reasoning effort", "enum": ["none", "minimal", "low", "medium", "high", "xhigh", "max"]},
    "service_tier": {"type": "string", "title": "Service tier", "maxLength": 50},` + providers.TimeoutsSchema + `,` + providers.WindowSchema + `,
    "prices": {
      "type": "object", "title": "Prices (US dollars for a million tokens)", "additionalProperties": false, "required": ["input", "output"],
      "properties": {
        "input": {"type": "number", "minimum": 0},
        "cache_read": {"type": "number", "minimum": 0},
        "cache_write": {"type": "number", "minimum": 0},
        "output": {"type": "number", "minimum": 0}
      }
    }
  }
}`
