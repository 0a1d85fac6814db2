package prompt

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// ToolData is a tool with its latest entries that is sent with every call.
type ToolData struct {
	Tool     userdata.Tool
	ZoneName string
	Entries  []userdata.Entry
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

// dataBlock is a part of level 2.
type dataBlock struct {
	kind, source, body string
}

// markLength is the length of a mark in hexadecimal digits: 96 bits.
const markLength = 24

// markOf computes the mark of all enclosed blocks with a key: data cannot contain its own mark, and
// a mark that was seen once is invalid after any change.
func markOf(key []byte, workspace string, blocks []dataBlock) string {
	h := hmac.New(sha256.New, key)
	part(h, workspace)
	for _, b := range blocks {
		part(h, b.kind)
		part(h, b.source)
		part(h, b.body)
	}
	return hex.EncodeToString(h.Sum(nil))[:markLength]
}

// text renders the block with its tags. Every line inside is indented, so that none can be taken
// for a heading or a tag.
func (b *dataBlock) text(mark string) string {
	without := func(text string) string { return strings.ReplaceAll(unforged(text), mark, "…") }
	return tagOpen + ` type="` + b.kind + `" mark="` + mark + `" source="` + without(attribute(b.source)) + "\">\n" +
		indented(without(b.body)) + "\n</fermata " + mark + ">"
}

// attribute returns a text for use between quotes in a tag.
func attribute(text string) string {
	return strings.NewReplacer(`"`, "'", "<", "‹", ">", "›").Replace(oneLine(text))
}

// otherBreaks are other characters that may be treated as line breaks.
var otherBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func indented(text string) string {
	const indent = "    "
	return indent + strings.ReplaceAll(otherBreaks.Replace(strings.TrimSpace(text)), "\n", "\n"+indent)
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
		blocks = append(blocks, dataBlock{"DOCUMENT", "document " + d.Key + ": " + d.Title, d.Published})
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
		blocks = append(blocks, dataBlock{"TOOL", "tool " + t.Tool.ID + ": " + t.ZoneName + " / " + t.Tool.Name, toolText(t)})
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
