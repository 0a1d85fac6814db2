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

// KindName is the kind of this provider.
const KindName = "script"

// maxScript bounds a script's file, in bytes.
const maxScript = 16 << 20

type config struct {
	Model         string `json:"model"`
	Protocol      string `json:"protocol"`
	Path          string `json:"path"`
	Steps         []Step `json:"steps"`
	ContextWindow int    `json:"context_window"`
	MaxTokens     int    `json:"max_tokens"`
}

// Step is one answer and when it is given.
type Step struct {
	Name string `json:"name"` // for the errors only
	When When   `json:"when"`
	// Times is how often the step may be used; 0: always. It is counted in memory, for
	// this provider.
	Times int `json:"times"`
	// Let finds values in what the model was sent, latest first: a name and a regular
	// expression (its first group, or all of it). ${name} in Answer stands for it.
	Let    map[string]string `json:"let"`
	Answer *Answer           `json:"answer"`
	Usage  *domain.Usage     `json:"usage"`
	// DelayMS before the first token and between tokens, in milliseconds.
	DelayMS      float64 `json:"delay_ms"`
	TokenDelayMS float64 `json:"token_delay_ms"`
	Fault        *Fault  `json:"fault"`

	matches *regexp.Regexp
	let     map[string]*regexp.Regexp
}

// When holds the conditions of a step; all that are given must hold.
type When struct {
	Contains string `json:"contains"` // the last text of the person
	Matches  string `json:"matches"`  // the same, a regular expression
	Result   string `json:"result"`   // contained in the last turn's results
	// Roundtrip counts the calls since the person's last text, from 1.
	Roundtrip int    `json:"roundtrip"`
	Offers    string `json:"offers"`  // this command is offered
	Without   string `json:"without"` // this command is not offered
	Session   string `json:"session"` // the session's id
}

// Answer is what the step answers.
type Answer struct {
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	// JSON is the object of the JSON protocol; it becomes the text.
	JSON       json.RawMessage `json:"json"`
	Calls      []Call          `json:"calls"`
	StopReason string          `json:"stop_reason"`
	// Megabytes of text are added.
	Megabytes int `json:"megabytes"`
}

// Call is a native call. Arguments is an object, or a string that is taken as it is,
// so that a script can send what is not JSON.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	ID        string          `json:"id"`
}

// Fault makes the call fail. With AfterTokens the answer streams that far first.
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

// Kind is the registry's entry; scripts are part of the config. Files are refused: a
// config comes through the API, and must not read the server's disk.
func Kind() providers.Kind { return KindIn("") }

// KindIn also allows script files below dir.
func KindIn(dir string) providers.Kind {
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

// readSteps reads {"steps": […]} or a bare list from a file below dir.
func readSteps(dir, path string) ([]Step, error) {
	if dir == "" {
		return nil, domain.Invalid("/config/path", "not_allowed", "This server reads no script files; put the steps into the config.")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory for scripts: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	file, err := root.Open(path)
	if err != nil {
		return nil, domain.Invalid("/config/path", "not_found", "There is no such script below the directory for scripts.")
	}
	defer func() { _ = file.Close() }() // it was only read
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

// strict refuses unknown fields: a condition misspelt would hold always.
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
