package gemini

import (
	"encoding/json"
	"net/http"
	"strings"

	"google.golang.org/genai"

	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// options are the library's parameters of a call. Prompt and history are not among
// them: the transport puts their bytes in front.
func (p *provider) options(request *providers.Request) *genai.GenerateContentConfig {
	never := false
	o := &genai.GenerateContentConfig{
		HTTPOptions: &genai.HTTPOptions{
			Headers: http.Header{},
			ExtrasRequestProvider: func(body map[string]any) map[string]any {
				return finish(body, request.Prompt)
			},
		},
		// Additional requests by the library would not be counted.
		AutomaticContinuation: &never,
		MaxOutputTokens:       int32(min(p.config.MaxTokensFor(request), 1<<30)),
		Temperature:           single(p.config.Temperature),
		TopP:                  single(p.config.TopP),
		ServiceTier:           genai.ServiceTier(p.config.ServiceTier),
		ThinkingConfig:        p.thinking(request),
	}
	if asksForSchema(request.Prompt) {
		o.ResponseMIMEType = "application/json"
		o.ResponseJsonSchema = json.RawMessage(request.Prompt.AnswerSchema)
	}
	return o
}

func asksForSchema(prompt *ai.Prompt) bool {
	return json.Valid(prompt.AnswerSchema)
}

// finish takes the contents out of the library's body (see body.go), and puts the
// schema in as it is: the model writes members in the order of the schema's, and the
// library sorts them.
func finish(body map[string]any, prompt *ai.Prompt) map[string]any {
	delete(body, "contents")
	if config, ok := body["generationConfig"].(map[string]any); ok && asksForSchema(prompt) {
		config["responseJsonSchema"] = json.RawMessage(prompt.AnswerSchema)
	}
	return body
}

func single(f *float64) *float32 {
	if f == nil {
		return nil
	}
	return new(float32(*f))
}

// budgets are what Google gives for the efforts where a model counts tokens.
var budgets = map[string]int32{"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}

// leastOfPro is the smallest budget of 2.5 Pro, which cannot be kept from thinking.
const leastOfPro = 128

// levels are the efforts where a model knows levels. None can be kept from thinking.
var levels = map[string]genai.ThinkingLevel{
	"none": genai.ThinkingLevelMinimal, "minimal": genai.ThinkingLevelMinimal, "low": genai.ThinkingLevelLow,
	"medium": genai.ThinkingLevelMedium, "high": genai.ThinkingLevelHigh,
}

// thinking is how much the model shall think, and whether its thoughts are shown; nil
// says nothing, which every model takes.
func (p *provider) thinking(request *providers.Request) *genai.ThinkingConfig {
	model := p.config.ModelFor(request)
	t := &genai.ThinkingConfig{ThinkingBudget: p.config.ThinkingBudget}
	if t.ThinkingBudget == nil && p.config.ReasoningEffort != "" {
		if strings.Contains(model, "gemini-2.5") {
			budget := budgets[p.config.ReasoningEffort]
			if strings.Contains(model, "pro") {
				budget = max(budget, leastOfPro)
			}
			t.ThinkingBudget = &budget
		} else {
			t.ThinkingLevel = levels[p.config.ReasoningEffort]
		}
	}
	off := t.ThinkingBudget != nil && *t.ThinkingBudget == 0
	switch {
	case off || request.Small: // the thoughts are not used
	case p.config.IncludeThoughts != nil:
		t.IncludeThoughts = *p.config.IncludeThoughts
	default:
		t.IncludeThoughts = thinks(model)
	}
	if t.ThinkingBudget == nil && t.ThinkingLevel == "" && !t.IncludeThoughts {
		return nil
	}
	return t
}

// plainModels are parts of the names of models that reject requests for their thoughts, or do not
// think by default.
var plainModels = []string{"gemini-1", "gemini-2.0", "lite", "gemma", "image", "tts", "learnlm"}

func thinks(model string) bool {
	for _, mark := range plainModels {
		if strings.Contains(model, mark) {
			return false
		}
	}
	return strings.Contains(model, "gemini")
}

// demandsSignatures: from Gemini 3 on, a first call that is sent back without the
// signature of its thoughts is refused.
func demandsSignatures(model string) bool {
	return !strings.Contains(model, "gemini-1") && !strings.Contains(model, "gemini-2") && !strings.Contains(model, "gemma")
}
