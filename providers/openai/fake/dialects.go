package fake

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers/suite"
)

// dialect is how one vendor speaks the wire, and what it refuses.
type dialect struct {
	name string // the preset's
	// What it says.
	thinking    thinking
	calls       calls
	endHasUsage bool // the usage comes with the end of the choice, asked for or not
	hitTokens   bool // cached tokens as prompt_cache_hit_tokens
	// What it demands.
	limit           string // the name of the answer's limit
	role            string // of the system text
	noTools         bool
	noStreamOptions bool
	noParallel      bool
	echo            bool // reasoning_content with calls; elsewhere it is refused
	shortIDs        bool
	bridge          bool // no user message behind a tool message
}

// thinking is where thoughts are.
type thinking int

const (
	inReasoningContent thinking = iota
	inReasoning
	inTags
	inParts
)

// calls is how tool calls are streamed.
type calls int

const (
	inPieces calls = iota
	atIndexZero
	withoutIndex
	withoutIDs
)

var dialects = []dialect{
	{name: "groq", thinking: inReasoning, limit: "max_completion_tokens", calls: atIndexZero},
	{name: "deepseek", hitTokens: true, echo: true, noParallel: true},
	{name: "perplexity", thinking: inTags, noTools: true, noStreamOptions: true, endHasUsage: true},
	{name: "mistral", thinking: inParts, noStreamOptions: true, endHasUsage: true, shortIDs: true, bridge: true},
	{name: "ollama", thinking: inTags, calls: atIndexZero, noParallel: true},
	{name: "vllm", thinking: inReasoning, calls: withoutIndex},
	{name: "llama_cpp", thinking: inReasoningContent, calls: withoutIDs},
	{name: "lm_studio", thinking: inTags, noParallel: true},
	{name: "none"},
}

// OpenAI is OpenAI itself.
func OpenAI() suite.Fake {
	d := dialect{name: "openai", limit: "max_completion_tokens", role: "developer"}
	return suite.Fake{
		Name: "openai", Kind: "openai", Write: d.write,
		Config: func(url string, protocol domain.Protocol) map[string]any {
			return map[string]any{"base_url": url + "/v1", "model": "m", "protocol": string(protocol)}
		},
	}
}

// Compatible is a vendor of the kind openai_compatible that is configured by its URL
// alone.
func Compatible() suite.Fake { return dialect{}.fake() }

// Presets are the vendors that have a preset.
func Presets() []suite.Fake {
	out := make([]suite.Fake, len(dialects))
	for i, d := range dialects {
		out[i] = d.fake()
	}
	return out
}

func (d dialect) fake() suite.Fake {
	f := suite.Fake{Name: "openai_compatible", Kind: "openai_compatible", Write: d.write, NoCalls: d.noTools}
	if d.name != "" {
		f.Name += " " + d.name
	}
	f.Config = func(url string, protocol domain.Protocol) map[string]any {
		config := map[string]any{"base_url": url + "/v1", "model": "m", "protocol": string(protocol)}
		if d.name != "" {
			config["preset"] = d.name
		}
		return config
	}
	return f
}
