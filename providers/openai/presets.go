package openai

import (
	"net/url"
	"slices"
)

// preset is what is known of a vendor: where it is, and how its wire differs. The
// zero flags are the wire as most speak it.
type preset struct {
	Name    string
	BaseURL string
	hosts   []string // "api.groq.com", ":11434": recognised without being named
	flags
}

// flags are the differences.
type flags struct {
	noTools       bool // no native calls: the JSON protocol is used
	jsonMode      string
	noStreamUsage bool // refuses stream_options
	// maxTokensName is "max_completion_tokens" for reasoning models of OpenAI.
	maxTokensName string
	// echoReasoning: reasoning_content must come back with the calls that followed it.
	echoReasoning bool
	// bridge: a user message must not follow a tool message.
	bridge bool
	// shortIDs: call ids have exactly nine letters and digits.
	shortIDs bool
	// thinkTags: thoughts come inside the text, as <think>…</think>.
	thinkTags bool
}

// The values of jsonMode.
const (
	jsonSchema = ""       // response_format json_schema
	jsonObject = "object" // response_format json_object
)

var presets = []preset{
	{Name: "openai", BaseURL: "https://api.openai.com/v1", hosts: []string{"api.openai.com"},
		flags: flags{maxTokensName: "max_completion_tokens"}},
	{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", hosts: []string{"api.groq.com"}},
	{Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", hosts: []string{"api.deepseek.com"},
		flags: flags{jsonMode: jsonObject, echoReasoning: true}},
	{Name: "perplexity", BaseURL: "https://api.perplexity.ai", hosts: []string{"api.perplexity.ai"},
		flags: flags{noTools: true, noStreamUsage: true, thinkTags: true}},
	{Name: "mistral", BaseURL: "https://api.mistral.ai/v1", hosts: []string{"api.mistral.ai"},
		flags: flags{noStreamUsage: true, bridge: true, shortIDs: true}},
	{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", hosts: []string{":11434"},
		flags: flags{thinkTags: true}},
	{Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1", hosts: []string{":8000"},
		flags: flags{thinkTags: true}},
	{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1",
		flags: flags{thinkTags: true}},
	{Name: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1", hosts: []string{":1234"},
		flags: flags{thinkTags: true}},
}

// presetFor finds a preset by its name, or else by the base URL's host or port.
func presetFor(name string, base *url.URL) preset {
	for _, p := range presets {
		if name != "" && p.Name == name {
			return p
		}
		if name == "" && (slices.Contains(p.hosts, base.Hostname()) || slices.Contains(p.hosts, ":"+base.Port())) {
			return p
		}
	}
	return preset{}
}
