package openai

import (
	"net/url"
	"slices"
)

// preset is what is known of a vendor: where it is, what it can do, and how its wire
// differs. The zero abilities are the wire as most speak it.
type preset struct {
	Name    string
	BaseURL string
	hosts   []string // "api.groq.com", ":11434": recognised without being named
	abilities
}

// abilities are what a vendor can do and how its wire differs. What all do alike is
// not here: tool_choice is never sent ("auto" is everybody's default), a stream's
// thoughts are read as reasoning_content or as reasoning, and cached tokens are found
// under each vendor's name.
type abilities struct {
	needsKey      bool
	noTools       bool   // no native calls: the JSON protocol is used
	noParallel    bool   // does not know parallel_tool_calls
	noStreamUsage bool   // refuses stream_options; the usage comes by itself
	maxTokens     string // the limit's name; empty: max_tokens
	role          string // of the system text; empty: system
	json          jsonMode
	objectsOnly   bool // a schema of the answer is one of an object
	thinkTags     bool // thoughts may come inside the text, as <think>…</think>
	// echoReasoning: thoughts must come back with the calls that followed them, as
	// reasoning_content. Elsewhere it may be refused as unknown.
	echoReasoning bool
	bridge        bool // a user message must not follow a tool message
	shortIDs      bool // call ids have exactly nine letters and digits
	toolNames     bool // a tool message names its tool
	cacheKey      bool // finds the servers that cached a conversation by prompt_cache_key
}

// jsonMode is how the JSON protocol's answer is asked for, beside the words of the
// prompt.
type jsonMode string

const (
	jsonSchema jsonMode = ""       // response_format json_schema
	jsonObject jsonMode = "object" // response_format json_object
	jsonNone   jsonMode = "none"
)

// openAI is the preset of the kind openai.
var openAI = preset{
	Name: "openai", BaseURL: "https://api.openai.com/v1", hosts: []string{"api.openai.com"},
	abilities: abilities{needsKey: true, maxTokens: "max_completion_tokens", role: "developer", objectsOnly: true, cacheKey: true},
}

// presets are the vendors of the kind openai_compatible.
var presets = []preset{
	// json_schema is known to a few of its models only. It refuses members it does not know.
	{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", hosts: []string{"api.groq.com"},
		abilities: abilities{needsKey: true, maxTokens: "max_completion_tokens", json: jsonObject}},
	{Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", hosts: []string{"api.deepseek.com"},
		abilities: abilities{needsKey: true, noParallel: true, json: jsonObject, echoReasoning: true}},
	{Name: "perplexity", BaseURL: "https://api.perplexity.ai", hosts: []string{"api.perplexity.ai"},
		abilities: abilities{needsKey: true, noTools: true, noStreamUsage: true, thinkTags: true}},
	{Name: "mistral", BaseURL: "https://api.mistral.ai/v1", hosts: []string{"api.mistral.ai"},
		abilities: abilities{needsKey: true, noStreamUsage: true, bridge: true, shortIDs: true, toolNames: true}},
	{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", hosts: []string{":11434"},
		abilities: abilities{noParallel: true, thinkTags: true}},
	{Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1", hosts: []string{":8000"},
		abilities: abilities{thinkTags: true}},
	{Name: "llama_cpp", BaseURL: "http://127.0.0.1:8080/v1",
		abilities: abilities{thinkTags: true}},
	{Name: "lm_studio", BaseURL: "http://127.0.0.1:1234/v1", hosts: []string{":1234"},
		abilities: abilities{noParallel: true, thinkTags: true}},
	{Name: "none"}, // the wire as most speak it, whatever the base URL looks like
}

// presetFor finds a preset by its name, or else by the base URL's host or port.
func presetFor(name string, base *url.URL) preset {
	for _, p := range append([]preset{openAI}, presets...) {
		if name != "" && p.Name == name || name == "" && p.at(base) {
			return p
		}
	}
	return preset{}
}

// at says whether a URL is the vendor's own.
func (p preset) at(base *url.URL) bool {
	return slices.Contains(p.hosts, base.Hostname()) || slices.Contains(p.hosts, ":"+base.Port())
}
