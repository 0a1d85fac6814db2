package script

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

// asked is a request as the conditions see it.
type asked struct {
	prompt    *ai.Prompt
	session   string
	text      string // last text of the person
	results   string // results of the last turn
	roundtrip int
}

// notice is the prefix of Fermata's own messages.
const notice = "<fermata"

func read(request *providers.Request) asked {
	a := asked{prompt: request.Prompt, session: request.SessionID, roundtrip: 1}
	turns := request.Prompt.Turns
	if len(turns) > 0 {
		a.results = texts(turns[len(turns)-1], func(b *ai.Block) bool {
			return b.Kind == ai.BlockResult || strings.HasPrefix(b.Text, notice)
		})
	}
	for _, t := range slices.Backward(turns) {
		if t.Role == ai.TurnAssistant {
			a.roundtrip++
			continue
		}
		a.text = texts(t, func(b *ai.Block) bool {
			return b.Kind == ai.BlockText && !strings.HasPrefix(b.Text, notice)
		})
		if a.text != "" {
			break
		}
	}
	return a
}

func texts(t *ai.Turn, wanted func(*ai.Block) bool) string {
	var parts []string
	for i := range t.Blocks {
		if wanted(&t.Blocks[i]) {
			parts = append(parts, t.Blocks[i].Text)
		}
	}
	return strings.Join(parts, "\n")
}

// fits reports whether all conditions hold.
func (s *Step) fits(a asked) bool {
	w := &s.When
	switch {
	case !strings.Contains(a.text, w.Contains), s.matches != nil && !s.matches.MatchString(a.text):
		return false
	case !strings.Contains(a.results, w.Result):
		return false
	case w.Roundtrip != 0 && w.Roundtrip != a.roundtrip:
		return false
	case w.Session != "" && w.Session != a.session:
		return false
	case w.Offers != "" && !a.offers(w.Offers), w.Without != "" && a.offers(w.Without):
		return false
	}
	return true
}

func (a asked) offers(name string) bool {
	return slices.ContainsFunc(a.prompt.Commands, func(c domain.CommandSpec) bool { return c.Name == name })
}

// values extracts the Let values from the request, latest first.
func (s *Step) values(a asked) (*strings.Replacer, error) {
	var pairs []string
	for name, re := range s.let {
		value, found := "", false
		for _, t := range slices.Backward(a.prompt.Turns) {
			m := re.FindStringSubmatch(texts(t, func(*ai.Block) bool { return true }))
			if m == nil {
				continue
			}
			value, found = m[min(1, len(m)-1)], true
			break
		}
		if !found {
			return nil, providers.Errorf(providers.ClassInvalidRequest, "the script finds nothing for let.%s in the conversation", name)
		}
		pairs = append(pairs, "${"+name+"}", value)
	}
	return strings.NewReplacer(pairs...), nil
}

// arguments returns a string as it is, or an object as JSON.
func (c Call) arguments() string {
	var text string
	if json.Unmarshal(c.Arguments, &text) == nil {
		return text
	}
	if len(c.Arguments) == 0 {
		return "{}"
	}
	return string(c.Arguments)
}
