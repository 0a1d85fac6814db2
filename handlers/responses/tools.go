package responses

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/rounds"
)

// Tools of a client in responses: a response ends with calls of them, and their results begin
// another response.

// tool is a tool of a client, in its request and in its response.
type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"` // null: arguments are not guaranteed to match the schema
}

// maxUnofferedName bounds what a response repeats of such a tool, in characters.
const maxUnofferedName = 80

// requestTools are the tools of a request, sorted by whether a model can be offered them.
type requestTools struct {
	offered   *domain.ClientTools    // nil: none
	positions []int                  // of the offered tools in the request
	unoffered []openai.UnofferedTool // each once, in the order of the request
}

// pointer returns the JSON pointer of an offered tool in the request.
func (t *requestTools) pointer(i int) string {
	if i < len(t.positions) {
		i = t.positions[i]
	}
	return fmt.Sprintf("/tools/%d", i)
}

// tools reads the tools of a request. Functions are offered to the model. Tools of other types are
// left out, because clients such as Codex send them with every request; the response names them.
func (r *request) tools() (requestTools, error) {
	var out requestTools
	wanted, err := openai.Offers(r.Tools, r.ToolChoice)
	if err != nil || !wanted {
		return out, err
	}
	var tools []json.RawMessage
	if err := json.Unmarshal(r.Tools, &tools); err != nil {
		return out, domain.Invalid("/tools", "wrong_type", "tools takes a list of functions.")
	}
	if len(tools) > domain.MaxClientTools {
		return out, domain.Invalid(fmt.Sprintf("/tools/%d", domain.MaxClientTools), "too_many",
			"A request has %d tools at most.", domain.MaxClientTools)
	}
	var offered []domain.ClientTool
	for i := range tools {
		var t tool
		if err := json.Unmarshal(tools[i], &t); err != nil || t.Type == "" {
			return out, domain.Invalid(fmt.Sprintf("/tools/%d", i), "not_supported",
				"A tool is an object with a type. A session takes tools of type function, with a name and parameters; "+
					"its own commands need not be sent.")
		}
		if t.Type != "function" {
			tool := openai.UnofferedTool{
				Type: shorten.Characters(t.Type, maxUnofferedName), Name: shorten.Characters(t.Name, maxUnofferedName),
			}
			if !slices.Contains(out.unoffered, tool) {
				out.unoffered = append(out.unoffered, tool)
			}
			continue
		}
		if !openai.IsGiven(t.Parameters) {
			t.Parameters = rounds.NoParams
		}
		offered = append(offered, domain.ClientTool{Name: t.Name, Description: t.Description, Params: t.Parameters})
		out.positions = append(out.positions, i)
	}
	if len(offered) > 0 {
		out.offered = &domain.ClientTools{List: offered, OneAtATime: r.Parallel != nil && !*r.Parallel}
	}
	return out, nil
}

// toolsOf returns the tools of a message in OpenAI's form.
func toolsOf(m *domain.Message) []tool {
	out := []tool{}
	if m.Tools != nil {
		for _, t := range m.Tools.List {
			out = append(out, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Params})
		}
	}
	return out
}
