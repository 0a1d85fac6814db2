package domain

import (
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/internal/visible"
)

// Origin is where a part of a message comes from.
type Origin string

const (
	OriginPerson  Origin = "person"
	OriginModel   Origin = "model"
	OriginData    Origin = "data" // the workspace's own, by a built-in command or an enrichment
	OriginMCP     Origin = "mcp"
	OriginHTTP    Origin = "http"
	OriginTask    Origin = "task"
	OriginWebhook Origin = "webhook"
	OriginFile    Origin = "file"
	OriginClient  Origin = "client" // a tool of the program that sent a message
)

// Outside reports whether content of this origin was written by a party that the workspace does not
// control. Unknown origins are outside.
func (o Origin) Outside() bool {
	return o != OriginPerson && o != OriginModel && o != OriginData
}

// originOf is the origin of what a command of a source answers.
func originOf(source string) Origin {
	switch source {
	case "", SourceBuiltin:
		return OriginData
	case SourceHTTP:
		return OriginHTTP
	case SourceMCP:
		return OriginMCP
	case SourceAgent:
		return OriginModel
	default: // long_running
		return OriginTask
	}
}

// Where commands come from (CommandSpec.Source).
const (
	SourceBuiltin     = "builtin"
	SourceMCP         = "mcp"
	SourceHTTP        = "http"
	SourceLongRunning = "long_running"
	SourceAgent       = "agent"
	SourceClient      = "client" // a tool of the program that sent a message
)

// Provenance is where a part of a message comes from, with a name for people: a command
// with its connector, an automation, a file.
type Provenance struct {
	Origin Origin `json:"origin"`
	Source string `json:"source,omitempty"`
	// Role classifies content that is neither an answer nor data.
	Role WordsRole `json:"role,omitempty"`
}

// WordsRole is the role of external content in a prompt.
type WordsRole string

const (
	// WordsDescription: the description, schema or name of a command.
	WordsDescription WordsRole = "description"
	// WordsHistory: an earlier answer as reported by a client; no record here confirms it.
	WordsHistory WordsRole = "history"
	// WordsStored: the workspace's data that an earlier round wrote after it had read the source.
	WordsStored WordsRole = "stored"
)

// maxSource bounds the name of a source, in bytes.
const maxSource = 200

// From makes the provenance of external content. The name is put on one line without invisible characters:
// it may come from an untrusted party.
func From(origin Origin, source string) *Provenance {
	source = strings.Join(strings.Fields(visible.Line(source)), " ")
	if len(source) > maxSource {
		source = strings.ToValidUTF8(source[:maxSource], "") + "…"
	}
	return &Provenance{Origin: origin, Source: source}
}

// Foreign is stored in the journal for commands that are not built in: the source of their results, and
// whether they act where no approval of data would cover it.
type Foreign struct {
	From Provenance `json:"from"`
	// Acts: it has an external effect, or reads outside with an approval of each call: the request itself
	// can leak content. Trusted: it may do so without an approval after the round has read external
	// content.
	Acts    bool `json:"acts,omitempty"`
	Trusted bool `json:"trusted,omitempty"`
	// Stored: it is a built-in command that read rows with external content. They are in its result, and
	// in its error, also if it was not carried out.
	Stored bool `json:"stored,omitempty"`
}

// toldOfTasks is the built-in command that answers in words of those who do the tasks.
const toldOfTasks = "TASKS"

// Foreign is what the journal keeps of an execution of this command; nil for a built-in
// one. What an agent does, its own session asks for: the call itself acts nowhere.
func (c *CommandSpec) Foreign() *Foreign {
	if c.Name == toldOfTasks {
		return &Foreign{From: *From(OriginTask, c.Name)}
	}
	if c.Source == "" || c.Source == SourceBuiltin {
		return nil
	}
	name := c.Name
	if c.ConnectorName != "" {
		name += " (" + c.ConnectorName + ")"
	}
	return &Foreign{
		From:    *From(originOf(c.Source), name),
		Acts:    c.Source != SourceAgent && (c.Effect != EffectRead || c.RequireValidation),
		Trusted: c.Trusted,
	}
}

// Described is where the words come from that a command is described with; nil where the
// server, the workspace or a person who has looked at them answers for them.
func (c *CommandSpec) Described() *Provenance {
	switch {
	case c.Source == SourceClient:
		return describedByClient()
	case !c.Unreviewed:
		return nil
	}
	from := From(originOf(c.Source), c.ConnectorName)
	from.Role = WordsDescription
	return from
}

// describedByClient is where the descriptions of a client's tools come from. Clients take them
// from servers of their own choice.
func describedByClient() *Provenance {
	return &Provenance{Origin: OriginClient, Role: WordsDescription}
}

// FromClientHistory is the provenance of an earlier answer as reported by a client.
func FromClientHistory() *Provenance {
	return &Provenance{Origin: OriginClient, Role: WordsHistory}
}

// Provenance is the source of the execution's result; nil for the server's own data and texts: of a
// command that was never sent, whose answer was lost, which is still running, or which was ended here.
func (e *Execution) Provenance() *Provenance {
	withdrawn := e.Status == ExecCancelled && e.Error != nil && e.Error.Code == CodeTaskWithdrawn
	answered := e.Status == ExecCached || withdrawn || e.StartedAt != nil && (e.Status == ExecSuccess || e.Status == ExecFailed)
	if e.Foreign == nil || !answered && !e.Foreign.Stored || e.Error.OwnWords() {
		return nil
	}
	from := e.Foreign.From
	return &from
}

// OutsideParts are the parts of a message that come from outside, in their order. Only
// what is for the AI counts.
func (m *Message) OutsideParts() []Provenance {
	if m.ExcludeFromPrompt || m.System != nil && !m.System.Type.InPrompt() {
		return nil
	}
	var parts []Provenance
	add := func(from *Provenance) {
		if from != nil && from.Origin.Outside() {
			parts = append(parts, *from)
		}
	}
	if m.Rich != nil {
		for i := range m.Rich.Segments {
			s := &m.Rich.Segments[i]
			if s.File != nil && s.From == nil { // a file is external content, even if a member uploaded it
				add(From(OriginFile, s.File.Name))
			}
			add(s.From)
		}
	}
	if m.Tools != nil && len(m.Tools.List) > 0 {
		add(describedByClient())
	}
	if m.AI != nil {
		add(m.AI.From)
	}
	if m.System != nil {
		for i := range m.System.CommandResults {
			add(m.System.CommandResults[i].From)
		}
	}
	return parts
}

// Taint is the external content in the prompt of a session: the first different sources, and the number of
// parts in all. nil: none. It is never changed in place and never shrinks: a summary of external content
// is external too.
type Taint struct {
	Sources []Provenance `json:"sources"`
	Parts   int          `json:"parts"`
}

// maxTaintSources bounds the sources that are named.
const maxTaintSources = 4

// With adds parts.
func (t *Taint) With(parts ...Provenance) *Taint {
	if len(parts) == 0 {
		return t
	}
	own := &Taint{}
	if t != nil {
		own.Sources, own.Parts = slices.Clone(t.Sources), t.Parts
	}
	for _, p := range parts {
		own.Parts++
		if len(own.Sources) < maxTaintSources && !slices.Contains(own.Sources, p) {
			own.Sources = append(own.Sources, p)
		}
	}
	return own
}

// Including adds content that is sent with every call, such as descriptions of commands: it counts once.
// It is left out once the list of sources is full.
func (t *Taint) Including(parts ...Provenance) *Taint {
	for _, p := range parts {
		if t == nil || !slices.Contains(t.Sources, p) && len(t.Sources) < maxTaintSources {
			t = t.With(p)
		}
	}
	return t
}

// Join merges the taint of another session whose content is taken over: by an agent that is called in a
// tainted round, by the caller of an agent, by a fork.
func (t *Taint) Join(other *Taint) *Taint {
	if other == nil {
		return t
	}
	joined := t.With(other.Sources...)
	joined.Parts += other.Parts - len(other.Sources)
	return joined
}

// Provenance is what the answer of a session with this taint is to who reads it; nil where
// it has read nothing from outside.
func (t *Taint) Provenance(reader string) *Provenance {
	if t == nil || len(t.Sources) == 0 {
		return nil
	}
	return From(t.Sources[0].Origin, reader+", which read "+t.Sources[0].Name())
}

// Name is the source in words, where it has no name too.
func (p Provenance) Name() string {
	switch {
	case p.Role == WordsHistory:
		return "a client's history"
	case p.Role == WordsDescription && p.Origin == OriginClient:
		return "the descriptions of a client's tools"
	case p.Role == WordsDescription:
		return "the descriptions of the commands of " + p.Source
	}
	return p.Source
}

// TaintOf is the taint of a session that begins with these messages.
func TaintOf(messages []*Message) *Taint {
	var t *Taint
	for _, m := range messages {
		t = t.With(m.OutsideParts()...)
	}
	return t
}

// Guards reports whether the action requires an approval in any case: it has an external effect, and was
// requested after external content was read.
func (t *Taint) Guards(e *Execution) bool {
	return t != nil && e.Foreign != nil && e.Foreign.Acts && !e.Foreign.Trusted
}
