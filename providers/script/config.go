package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/providers"
)

// KindName is the name of the kind.
const KindName = "script"

// maxScript bounds a script file, in bytes.
const maxScript = 16 << 20

type config struct {
	Model         string `json:"model"`
	Protocol      string `json:"protocol"`
	Path          string `json:"path"`
	Steps         []Step `json:"steps"`
	ContextWindow int    `json:"context_window"`
	MaxTokens     int    `json:"max_tokens"`
}

// Step is one scripted answer with its conditions.
type Step struct {
	Name string `json:"name"` // for error messages only
	When When   `json:"when"`
	// Times bounds the uses of the step; 0: unlimited. It is counted in memory, per provider.
	Times int `json:"times"`
	// Let extracts values from the request, latest first: a name and a regular expression (its
	// first group, or the whole match). ${name} in Answer is replaced with the value.
	Let    map[string]string `json:"let"`
	Answer *Answer           `json:"answer"`
	Usage  *domain.Usage     `json:"usage"`
	// DelayMS is the delay before the first token and between tokens, in milliseconds.
	DelayMS      float64 `json:"delay_ms"`
	TokenDelayMS float64 `json:"token_delay_ms"`
	Fault        *Fault  `json:"fault"`

	matches *regexp.Regexp
	let     map[string]*regexp.Regexp
}

// When has the conditions of a step; all that are set must hold.
type When struct {
	Contains string `json:"contains"` // substring of the person's last text
	Matches  string `json:"matches"`  // regular expression for the same
	Result   string `json:"result"`   // substring of the last turn's results
	// Roundtrip counts the calls since the person's last text, from 1.
	Roundtrip int    `json:"roundtrip"`
	Offers    string `json:"offers"`  // this command is offered
	Without   string `json:"without"` // this command is not offered
	Session   string `json:"session"` // session ID
}

// Answer is a step's answer.
type Answer struct {
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	// JSON is the object of the JSON protocol, sent as the text.
	JSON       json.RawMessage `json:"json"`
	Calls      []Call          `json:"calls"`
	StopReason string          `json:"stop_reason"`
	// Megabytes of text are appended.
	Megabytes int `json:"megabytes"`
}

// Call is a native call. Arguments is an object, or a string that is sent as it is, so that a
// script can send invalid JSON.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	ID        string          `json:"id"`
}

// Fault makes the call fail, with AfterTokens only after that part of the answer was streamed.
type Fault struct {
	Class             providers.Class `json:"class"`
	Message           string          `json:"message"`
	Status            int             `json:"status"`
	RetryAfterSeconds float64         `json:"retry_after_seconds"`
	AfterTokens       int             `json:"after_tokens"`
	// Hang waits until the call is cancelled.
	Hang bool `json:"hang"`
}

const schema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "model": {"type": "string", "title": "Model name", "maxLength": 200},
    "protocol": {"type": "string", "title": "Protocol", "enum": ["native", "json"]},
    "path": {"type": "string", "title": "Script file", "description": "Below the directory for scripts that the operator set"},
    "steps": {"type": "array", "title": "Steps", "items": {"type": "object"}},
    "max_tokens": {"type": "integer", "minimum": 1},
    "context_window": {"type": "integer", "minimum": 1}
  }
}`

// Kind returns the registry entry for scripts in the config. Script files are rejected: configs
// come through the API and must not read the server's disk.
func Kind() providers.Kind { return kindIn("") }

// kindIn also allows script files below dir.
func kindIn(dir string) providers.Kind {
	return providers.Kind{
		Name:        KindName,
		DisplayName: "Script (fixed answers, for tests)",
		Schema:      json.RawMessage(schema),
		New: func(raw json.RawMessage, _ string, _ *http.Client) (providers.Provider, error) {
			return newProvider(raw, dir)
		},
	}
}

func newProvider(raw json.RawMessage, dir string) (*provider, error) {
	var c config
	if err := strict(raw, &c); err != nil {
		return nil, domain.Invalid("/config", "script", "The script cannot be read: %v.", err)
	}
	if c.Path != "" {
		var err error
		if c.Steps, err = readSteps(dir, c.Path); err != nil {
			return nil, err
		}
	}
	for i := range c.Steps {
		if err := c.Steps[i].prepare(); err != nil {
			return nil, domain.Invalid(fmt.Sprintf("/config/steps/%d", i), "script", "The script cannot be used: %v.", err)
		}
	}
	if c.Model == "" {
		c.Model = "script"
	}
	return &provider{config: c, used: make([]int, len(c.Steps))}, nil
}

// readSteps reads {"steps": […]} or a plain list from a file below dir.
func readSteps(dir, path string) ([]Step, error) {
	if dir == "" {
		return nil, domain.Invalid("/config/path", "not_allowed", "This server does not read script files; put the steps into the config.")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory for scripts: %w", err)
	}
	defer func() { _ = root.Close() }() // read-only
	file, err := root.Open(path)
	if err != nil {
		return nil, domain.Invalid("/config/path", "not_found", "The script does not exist below the script directory.")
	}
	defer func() { _ = file.Close() }() // read-only
	text, err := io.ReadAll(io.LimitReader(file, maxScript))
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	var steps []Step
	target := any(&struct {
		Steps *[]Step `json:"steps"`
	}{&steps})
	if strings.HasPrefix(string(bytes.TrimSpace(text)), "[") {
		target = &steps
	}
	if err := strict(text, target); err != nil {
		return nil, domain.Invalid("/config/path", "script", "The script cannot be read: %v.", err)
	}
	return steps, nil
}

// strict rejects unknown fields: a misspelled condition would always hold.
func strict(raw []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	return nil
}

func (s *Step) prepare() (err error) {
	if s.Answer == nil && s.Fault == nil {
		return fmt.Errorf("it has neither answer nor fault")
	}
	if s.When.Matches != "" {
		if s.matches, err = regexp.Compile(s.When.Matches); err != nil {
			return fmt.Errorf("compile when.matches: %w", err)
		}
	}
	s.let = map[string]*regexp.Regexp{}
	for name, text := range s.Let {
		if s.let[name], err = regexp.Compile(text); err != nil {
			return fmt.Errorf("compile let.%s: %w", name, err)
		}
	}
	if s.Answer != nil && (s.Answer.Megabytes < 0 || s.Answer.Megabytes > 16) {
		return fmt.Errorf("megabytes is 0 to 16, not %d", s.Answer.Megabytes)
	}
	return nil
}
