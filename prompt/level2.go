package prompt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// ToolData is a tool with its latest entries that is sent with every call.
type ToolData struct {
	Tool      userdata.Tool
	ZoneName  string
	ZoneTrust trust.Record
	Entries   []userdata.Entry
}

// records are those of all that is sent of the tool.
func (t *ToolData) records() []trust.Record {
	all := []trust.Record{t.ZoneTrust.Of("name"), t.Tool.Trust}
	for i := range t.Entries {
		all = append(all, t.Entries[i].Trust)
	}
	return all
}

// sentOf is the record of what is sent of a document.
func sentOf(d *userdata.Document) trust.Record { return d.Trust.Of("title", "published_body") }

// StoredIn are the sources of the external content in what level 2 has of documents and tools.
func StoredIn(documents []userdata.Document, tools []ToolData) []domain.Provenance {
	var all []trust.Record
	for i := range documents {
		if documents[i].PublishedAt != nil {
			all = append(all, sentOf(&documents[i]))
		}
	}
	for i := range tools {
		all = append(all, tools[i].records()...)
	}
	return trust.Read(all...)
}

// storedBlock is a block of the workspace's data: one of external content if a row in it has any.
func storedBlock(kind, source, body string, rows ...trust.Record) dataBlock {
	if from := trust.One(trust.Read(rows...)); from != nil {
		return dataBlock{kindOutside, sourceOf(*from) + ": " + source, body}
	}
	return dataBlock{kind, source, body}
}

// Level2Input is everything that level 2 depends on.
type Level2Input struct {
	// Key is the key of the blocks' marks: without it a block cannot be forged.
	Key         []byte
	WorkspaceID string
	// Agent is the definition of a session of type AGENT.
	Agent     *userdata.AgentDefinition
	Rules     []Rule
	Grants    []*domain.Grant
	Documents []userdata.Document
	// Commands are the external ones, for models without tools. Other servers wrote their
	// descriptions.
	Commands []domain.CommandSpec
	// Named are the external ones that are offered by name, with a line of what their servers say.
	Named []domain.CommandSpec
	Tools []ToolData
}

// Level2 returns what the workspace wrote and every call contains: its own rules, a run's grants,
// its published documents and always-sent tools. It is placed at the beginning of the first user
// turn, never in the system message. Each part is a block that names its source and ends only with
// the mark it began with. The same input gives the same bytes, in any order. "" if there is none.
func Level2(in Level2Input) string {
	blocks := slices.Concat(
		agentBlocks(in.Agent), ruleBlocks(in.Rules), grantBlocks(in.Grants), documentBlocks(in.Documents),
		commandBlocks(in.Commands), namedBlocks(in.Named), toolBlocks(in.Tools),
	)
	if len(blocks) == 0 {
		return ""
	}
	mark := markOf(in.Key, in.WorkspaceID, blocks)
	parts := make([]string, len(blocks))
	for i := range blocks {
		parts[i] = blocks[i].text(mark)
	}
	return strings.Join(parts, "\n\n")
}

func ruleBlocks(rules []Rule) []dataBlock {
	blocks := make([]dataBlock, 0, len(rules))
	for _, r := range rules {
		blocks = append(blocks, dataBlock{"RULES", "the workspace's administrator, in the place of the part " + r.Name, r.Text})
	}
	return blocks
}

// agentBlocks describe an agent's task.
func agentBlocks(a *userdata.AgentDefinition) []dataBlock {
	if a == nil {
		return nil
	}
	var parts []string
	for _, p := range []struct{ title, text string }{
		{"Your role", a.SystemPrompt}, {"How to go about it", a.Strategy}, {"When it is done", a.SuccessCriteria},
		{"What to report", a.ExitReport},
	} {
		if text := strings.TrimSpace(p.text); text != "" {
			parts = append(parts, p.title+":\n"+text)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []dataBlock{{"AGENT", "the definition of the agent " + a.Name, strings.Join(parts, "\n\n")}}
}

func grantBlocks(grants []*domain.Grant) []dataBlock {
	if len(grants) == 0 {
		return nil
	}
	lines := make([]string, 0, len(grants))
	for _, g := range grants {
		lines = append(lines, "- "+grantText(g))
	}
	return []dataBlock{{"GRANTS", "the workspace's administrator", strings.Join(lines, "\n")}}
}

func commandBlocks(commands []domain.CommandSpec) []dataBlock {
	if len(commands) == 0 {
		return nil
	}
	var servers, program []domain.CommandSpec
	for _, c := range commands {
		if c.Source == domain.SourceClient {
			program = append(program, c)
		} else {
			servers = append(servers, c)
		}
	}
	var blocks []dataBlock
	for _, of := range []struct {
		commands []domain.CommandSpec
		source   string
	}{
		{servers, "servers outside, which the workspace connected"},
		{program, "the program that sent the message, which runs them itself: call them alone in an answer"},
	} {
		if len(of.commands) > 0 {
			blocks = append(blocks, dataBlock{"COMMANDS", of.source, commandDocs(of.commands)})
		}
	}
	return blocks
}

// namedLine bounds what a line says of a command that is offered by name, in bytes.
const namedLine = 100

// namedBlocks lists commands that are offered by name, a line for each.
func namedBlocks(commands []domain.CommandSpec) []dataBlock {
	if len(commands) == 0 {
		return nil
	}
	lines := make([]string, 0, len(commands))
	for _, c := range sorted(commands) {
		line := "- " + c.Name
		if text := firstSentence(oneLine(c.Description)); text != "" {
			line += ": " + text
		}
		lines = append(lines, line)
	}
	return []dataBlock{{"COMMANDS", "offered by name: " + domain.AddCommands + " gives their definitions", strings.Join(lines, "\n")}}
}

func firstSentence(text string) string {
	if at := strings.Index(text, ". "); at >= 0 {
		text = text[:at+1]
	}
	return shorten.Bytes(text, namedLine)
}

func documentBlocks(documents []userdata.Document) []dataBlock {
	published := slices.DeleteFunc(slices.Clone(documents), func(d userdata.Document) bool {
		return d.DeletedAt != nil || d.PublishedAt == nil || strings.TrimSpace(d.Published) == ""
	})
	slices.SortFunc(published, func(x, y userdata.Document) int {
		return cmp.Or(cmp.Compare(x.Key, y.Key), cmp.Compare(x.ID, y.ID))
	})
	blocks := make([]dataBlock, 0, len(published))
	for _, d := range published {
		blocks = append(blocks, storedBlock("DOCUMENT", "document "+d.Key+": "+d.Title, d.Published, sentOf(&d)))
	}
	return blocks
}

func toolBlocks(tools []ToolData) []dataBlock {
	live := slices.DeleteFunc(slices.Clone(tools), func(t ToolData) bool { return t.Tool.DeletedAt != nil })
	slices.SortFunc(live, func(x, y ToolData) int {
		return cmp.Or(cmp.Compare(x.ZoneName, y.ZoneName), cmp.Compare(x.Tool.Name, y.Tool.Name), cmp.Compare(x.Tool.ID, y.Tool.ID))
	})
	blocks := make([]dataBlock, 0, len(live))
	for i := range live {
		t := &live[i]
		blocks = append(blocks, storedBlock("TOOL", "tool "+t.Tool.ID+": "+t.ZoneName+" / "+t.Tool.Name, toolText(t), t.records()...))
	}
	return blocks
}

func toolText(t *ToolData) string {
	var b strings.Builder
	b.WriteString("type: " + oneLine(t.Tool.ToolType) + "\n")
	if t.Tool.Description != "" {
		b.WriteString("description: " + oneLine(t.Tool.Description) + "\n")
	}
	b.WriteString("config: " + compact(t.Tool.Config) + "\n")
	entries := slices.Clone(t.Entries)
	slices.SortFunc(entries, func(x, y userdata.Entry) int {
		return cmp.Or(y.Timestamp.Compare(x.Timestamp), cmp.Compare(x.ID, y.ID))
	})
	if len(entries) == 0 {
		b.WriteString("entries: none")
		return b.String()
	}
	b.WriteString("entries, the latest first:\n")
	for _, e := range entries {
		b.WriteString("- " + e.Timestamp.UTC().Format(time.RFC3339) + " " + e.ID + " " + compact(e.Data) + "\n")
	}
	return b.String()
}

// compact renders JSON on one line; invalid JSON is rendered as "".
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return "{}"
	}
	return unforged(b.String())
}

func oneLine(text string) string { return unforged(strings.Join(strings.Fields(text), " ")) }
