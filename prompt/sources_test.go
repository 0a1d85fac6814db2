package prompt

import (
	"fmt"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/domain/trust"
)

// Who answers for a text in a prompt.
const (
	byServer = "the server or its operator"
	byPerson = "a person, or the client that speaks for one"
	byModel  = "a model that answered here, or the author that AI.From names"
	byData   = "the workspace's own data and settings"
	byFrom   = "the author in the provenance beside it; without one, the workspace or the person"
	byFile   = "a file, which taints the session that its segment comes into"
	bySpec   = "the source of the command, which taints the session where no person has reviewed it"
)

// textSources are all texts that reach a prompt, with who answers for each. The test fails for a
// text that is not listed. Before you list one: if another server, another program or a stranger can
// write it, it must taint the session that reads it (domain.Taint), and TestWhatTaints must say so.
var textSources = map[string]string{
	"Message.Text":       byPerson,
	"Message.SenderID":   byPerson,
	"Message.SenderName": byPerson,

	"Message.Rich.LinearText":                    byPerson,
	"Message.Rich.Segments[].Text":               byFrom,
	"Message.Rich.Segments[].From.Source":        byFrom,
	"Message.Rich.Segments[].Enrichment.Summary": byData,
	"Message.Rich.Segments[].File.ID":            byServer,
	"Message.Rich.Segments[].File.Name":          byFile,

	"Message.AI.Module.Type":               byModel,
	"Message.AI.Module.Data":               byModel,
	"Message.AI.ClientCalls[].Name":        byModel,
	"Message.AI.ClientCalls[].Params":      byModel,
	"Message.AI.PreText":                   byModel,
	"Message.Raw.Text":                     byModel,
	"Message.Raw.Calls[].ID":               byServer,
	"Message.Raw.Calls[].ProviderID":       byModel,
	"Message.Raw.Calls[].Name":             byModel,
	"Message.Raw.Calls[].Arguments":        byModel,
	"Message.Raw.Calls[].Signature":        byModel,
	"Message.Raw.Calls[].Extra":            byModel,
	"Message.Raw.Thinking[].Text":          byModel,
	"Message.Raw.Thinking[].Data":          byModel,
	"Message.AI.DataCommands[].Type":       byModel,
	"Message.AI.DataCommands[].Params":     byModel,
	"Message.AI.ActionCommands[].Type":     byModel,
	"Message.AI.ActionCommands[].Params":   byModel,
	"Message.System.Summary":               byServer,
	"Message.System.FormattedData":         byData,
	"Message.System.CommandResults[].Text": byFrom,

	"Message.System.CommandResults[].Command":                byServer,
	"Message.System.CommandResults[].Summary":                byServer,
	"Message.System.CommandResults[].Note":                   byServer,
	"Message.System.CommandResults[].From.Source":            byFrom,
	"Message.System.CommandResults[].Error.Code":             byFrom,
	"Message.System.CommandResults[].Error.Message":          byFrom,
	"Message.System.CommandResults[].Error.Fields[].Pointer": byFrom,
	"Message.System.CommandResults[].Error.Fields[].Code":    byFrom,
	"Message.System.CommandResults[].Error.Fields[].Message": byFrom,

	"Level1Input.Specs[].Name": bySpec, "Level1Input.Specs[].Description": bySpec, "Level1Input.Specs[].Params": bySpec,

	"Level2Input.Agent.Name":            byData,
	"Level2Input.Agent.SystemPrompt":    byData,
	"Level2Input.Agent.Strategy":        byData,
	"Level2Input.Agent.SuccessCriteria": byData,
	"Level2Input.Agent.ExitReport":      byData,
	"Level2Input.Rules[].Name":          byServer,
	"Level2Input.Rules[].Text":          byData,
	"Level2Input.Grants[].Commands[]":   byData,
	"Level2Input.Grants[].ZoneIDs[]":    byData,
	"Level2Input.Grants[].ToolIDs[]":    byData,
	"Level2Input.Grants[].Bounds":       byData,
	"Level2Input.Documents[].Key":       byData,
	"Level2Input.Documents[].Title":     byData,
	"Level2Input.Documents[].Published": byData,
	"Level2Input.Named[].Name":          bySpec, "Level2Input.Named[].Description": bySpec,
	"Level2Input.Commands[].Name": bySpec, "Level2Input.Commands[].Description": bySpec, "Level2Input.Commands[].Params": bySpec,
	"Level2Input.Tools[].Tool.ID":          byServer,
	"Level2Input.Tools[].Tool.ToolType":    byData,
	"Level2Input.Tools[].Tool.Name":        byData,
	"Level2Input.Tools[].Tool.Description": byData,
	"Level2Input.Tools[].Tool.Config":      byData,
	"Level2Input.Tools[].ZoneName":         byData,
	"Level2Input.Tools[].Entries[].ID":     byServer,
	"Level2Input.Tools[].Entries[].Data":   byData,
}

// promptParts are the parts of a prompt, with what each is made of.
var promptParts = map[string]string{
	"System": "Level1Input", "UserData": "Level2Input", "Turns": "Message", "Tail": "the clock and the settings of time",
	"Commands": "CommandSpec, of which Name, Description and Params are sent", "AnswerSchema": "the server's own",
	"Described": "no text: where the texts of Commands come from", "Protocol": "no text", "Offered": "no text: for the process log",
}

// filler puts a mark of its own into every text of a value.
type filler struct{ marks map[string]string }

var markPattern = regexp.MustCompile(`zq\d+qz`)

func (f *filler) mark(path string) string {
	for mark, at := range f.marks {
		if at == path {
			return mark
		}
	}
	mark := fmt.Sprintf("zq%dqz", len(f.marks))
	f.marks[mark] = path
	return mark
}

func (f *filler) fill(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().Kind() != reflect.Struct || v.Type().Elem() == reflect.TypeFor[time.Time]() {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), path)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{"type":"object","properties":{"p":{"type":"string","description":"` + f.mark(path) + `"}}}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), path+"[]")
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		f.fill(value, path+"{}")
		v.SetMapIndex(reflect.ValueOf(chunks[0].Name).Convert(v.Type().Key()), value)
	case reflect.Struct:
		for i := range v.NumField() {
			switch field := v.Type().Field(i); {
			case field.Anonymous: // its fields are those of the struct
				f.fill(v.Field(i), path)
			case v.Field(i).CanSet():
				f.fill(v.Field(i), path+"."+field.Name)
			}
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() { // others are one of the server's words
			v.SetString(f.mark(path))
		}
	}
}

// filled is a value with a mark in every text.
func filled[T any](f *filler, path string) *T {
	v := new(T)
	f.fill(reflect.ValueOf(v).Elem(), path)
	return v
}

// shown are the paths of the texts that are found in a rendering.
func (f *filler) shown(rendered string, into map[string]bool) {
	for _, mark := range markPattern.FindAllString(rendered, -1) {
		into[f.marks[mark]] = true
	}
}

// messagesOf are one message of each kind, with a mark in every text that it has.
func messagesOf(f *filler) []*domain.Message {
	var all []*domain.Message
	add := func(sender domain.Sender, change func(m *domain.Message)) {
		m := filled[domain.Message](f, "Message")
		m.Sender, m.Status, m.Superseded, m.ExcludeFromPrompt = sender, domain.MessageStored, false, false
		change(m)
		if sender != domain.SenderUser {
			m.Rich = nil
		}
		if sender != domain.SenderAI {
			m.AI, m.Raw = nil, nil
		}
		if sender != domain.SenderSystem {
			m.System = nil
		}
		all = append(all, m)
	}
	user := func(change func(s *domain.Segment)) {
		add(domain.SenderUser, func(m *domain.Message) { change(&m.Rich.Segments[0]) })
	}
	user(func(s *domain.Segment) { *s = domain.Segment{Type: domain.SegmentText, Text: s.Text} })
	add(domain.SenderUser, func(m *domain.Message) { m.SenderID += "2" }) // another person
	user(func(s *domain.Segment) {
		s.Type, s.File, s.Enrichment, s.From.Origin = domain.SegmentText, nil, nil, domain.OriginWebhook
	})
	user(func(s *domain.Segment) { *s = domain.Segment{Type: domain.SegmentFile, File: s.File} })
	user(func(s *domain.Segment) { *s = domain.Segment{Type: domain.SegmentEnrichment, Enrichment: s.Enrichment} })
	add(domain.SenderUser, func(m *domain.Message) { m.Rich = nil })
	for _, protocol := range []domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON} {
		for _, status := range []domain.ExecutionStatus{domain.ExecSuccess, domain.ExecFailed, domain.ExecCancelled} {
			for _, origin := range []domain.Origin{domain.OriginData, domain.OriginMCP} {
				for _, paired := range []bool{true, false} {
					add(domain.SenderAI, func(m *domain.Message) { m.Raw.Protocol = protocol })
					add(domain.SenderSystem, func(m *domain.Message) {
						m.System.Type = domain.SystemDataAdded
						r := &m.System.CommandResults[0]
						r.Status, r.From.Origin = status, origin
						if paired {
							r.CallID = f.mark("Message.Raw.Calls[].ID")
						}
					})
				}
			}
		}
		add(domain.SenderAI, func(m *domain.Message) { m.Raw = nil })
	}
	for _, kind := range []domain.SystemType{domain.SystemGuidance, domain.SystemLimitReached, domain.SystemFormatError, domain.SystemForked} {
		add(domain.SenderSystem, func(m *domain.Message) { m.System.Type, m.System.CommandResults = kind, nil })
	}
	add(domain.SenderSystem, func(m *domain.Message) { m.System.Type = domain.SystemContextSummary })
	return all
}

// TestEveryTextInAPromptHasASource: a text without a source would count as a person's.
func TestEveryTextInAPromptHasASource(t *testing.T) {
	f, shown := &filler{marks: map[string]string{}}, map[string]bool{}
	for _, protocol := range []domain.Protocol{domain.ProtocolNative, domain.ProtocolJSON} {
		messages := messagesOf(f)
		for upTo := range messages { // a summary takes the place of what is before it
			h := NewHistory(protocol, testMark)
			for _, m := range messages[:upTo+1] {
				h.Append(m)
			}
			for _, turn := range h.Turns() {
				for _, b := range turn.Blocks {
					f.shown(b.Text+b.CallID, shown)
					if a := b.Answer; a != nil { // what providers send of an answer
						f.shown(fmt.Sprint(a.Text, a.Calls, a.Thinking), shown)
					}
				}
			}
		}
		first := filled[Level1Input](f, "Level1Input")
		first.Protocol, first.SessionType = protocol, domain.Chat
		for i, kind := range []domain.CommandKind{domain.KindQuery, domain.KindAction, domain.KindControl} {
			spec := first.Specs[0]
			spec.Kind = kind
			first.Specs = append(first.Specs[:i], spec)
			first.Specs = append(first.Specs, first.Specs[0])
		}
		text, rules := Level1(*first)
		f.shown(fmt.Sprint(text, rules), shown)
	}
	second := filled[Level2Input](f, "Level2Input")
	now := time.Unix(0, 0)
	second.Documents[0].PublishedAt, second.Commands[0].Kind = &now, domain.KindAction
	f.shown(Level2(*second), shown)

	for path := range shown {
		if textSources[path] == "" {
			t.Errorf("%s reaches a prompt, and nothing says who answers for it", path)
		}
	}
	for field := range reflect.TypeFor[ai.Prompt]().Fields() {
		if promptParts[field.Name] == "" {
			t.Errorf("%s is a part of a prompt, and nothing says what it is made of", field.Name)
		}
	}
	for _, path := range []string{ // the marks work
		"Message.Rich.Segments[].Text", "Message.System.CommandResults[].Text", "Message.Raw.Text", "Level2Input.Commands[].Description",
		"Level1Input.Specs[].Name", "Message.Rich.Segments[].File.Name", "Message.System.CommandResults[].Error.Message",
	} {
		if !shown[path] {
			t.Errorf("%s is not found in any prompt", path)
		}
	}
}

// TestWhatTaints: each way in which external content becomes a part of a prompt.
func TestWhatTaints(t *testing.T) {
	page := domain.From(domain.OriginMCP, "WEB.READ (Web)")
	for name, m := range map[string]*domain.Message{
		"a part of a message":    {Rich: &domain.RichContent{Segments: []domain.Segment{{Text: "x", From: page}}}},
		"a file":                 {Rich: &domain.RichContent{Segments: []domain.Segment{{File: &domain.FileRef{Name: "a.txt"}}}}},
		"a result":               {System: &domain.SystemMessage{Type: domain.SystemDataAdded, CommandResults: []domain.CommandResult{{Text: "x", From: page}}}},
		"a client's tools":       {Tools: &domain.ClientTools{List: []domain.ClientTool{{Name: "look"}}}},
		"an answer of a history": {AI: &domain.AIMessage{PreText: "x", From: domain.FromClientHistory()}},
	} {
		if domain.TaintOf([]*domain.Message{m}) == nil {
			t.Errorf("%s does not taint", name)
		}
	}
	for name, c := range map[string]struct {
		spec    domain.CommandSpec
		outside bool
	}{
		"built in":                 {domain.CommandSpec{Source: domain.SourceBuiltin}, false},
		"an agent":                 {domain.CommandSpec{Source: domain.SourceAgent}, false},
		"written by a person":      {domain.CommandSpec{Source: domain.SourceHTTP}, false},
		"reviewed":                 {domain.CommandSpec{Source: domain.SourceMCP}, false},
		"not reviewed":             {domain.CommandSpec{Source: domain.SourceMCP, Unreviewed: true, ConnectorName: "Web"}, true},
		"not reviewed and trusted": {domain.CommandSpec{Source: domain.SourceMCP, Unreviewed: true, Trusted: true}, true},
		"of a client":              {(&domain.ClientTools{List: []domain.ClientTool{{Name: "look"}}}).Specs(nil)[0], true},
	} {
		if got := trust.Described([]domain.CommandSpec{c.spec}); len(got) == 1 != c.outside {
			t.Errorf("%s: its description comes from %v", name, got)
		}
	}
}
