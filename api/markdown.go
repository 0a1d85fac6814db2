package api

import (
	"cmp"
	"fmt"
	"html"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// Markdown exports a session as a readable document. Texts of people and models are block quotes that they cannot break
// out of; results of commands are in fences longer than any inside.
type Markdown struct {
	speech
	language string
	clock    func(time.Time) string
	zone     string
}

// NewMarkdown writes in the workspace's language and time zone.
func NewMarkdown(settings *domain.Settings) *Markdown {
	return &Markdown{language: settings.Language, speech: speechIn(settings.Language), clock: clockOf(settings), zone: settings.TimeZone}
}

// Head is the title and what the session is.
func (m *Markdown) Head(s *domain.Session, now time.Time) string {
	name := oneLine(s.Name)
	if name == "" {
		name = m.say("A session without a name", "Une session sans nom")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escaped(name))
	fmt.Fprintf(&b, "- %s\n", m.say("Session %s, %s, %s", "Session %s, %s, %s", s.ID, s.Type, s.Status()))
	fmt.Fprintf(&b, "- %s\n", m.say("Begun %s, exported %s (%s)",
		"Commencée %s, exportée %s (%s)", m.clock(s.CreatedAt), m.clock(now), escaped(m.zone)))
	if of := s.Origin; of != nil {
		fmt.Fprintf(&b, "- %s\n", m.say("Continued from session %s, after its message %s", "Continue la session %s, après son message %s",
			of.SessionID, of.MessageID))
	}
	cost := m.say("no price", "sans prix")
	if s.Usage.Cost != nil {
		cost = fmt.Sprintf("%.4g USD", *s.Usage.Cost)
	}
	fmt.Fprintf(
		&b,
		"- %s\n",
		m.say("%d calls of the AI, %d tokens in, %d out, %s", "%d appels de l’IA, %d jetons en entrée, %d en sortie, %s",
			s.State.TotalRoundtrips, s.Usage.InputTokens+s.Usage.CacheReadTokens+s.Usage.CacheWriteTokens, s.Usage.OutputTokens, cost),
	)
	return b.String()
}

// Message is one message with its sender and time.
func (m *Markdown) Message(x *domain.Message) string {
	x = x.In(m.language)
	var b strings.Builder
	m.heading(&b, m.sender(x), x.Timestamp)
	switch {
	case x.Rich != nil:
		b.WriteString(quoted(x.Rich.LinearText))
	case x.AI != nil:
		m.answer(&b, x.AI)
		m.given(&b, x.Raw)
	case x.System != nil:
		b.WriteString(quoted(x.System.Summary))
		b.WriteString(quoted(x.System.Detail))
		for i := range x.System.CommandResults {
			m.result(&b, &x.System.CommandResults[i])
		}
	}
	if x.Text != "" {
		b.WriteString(quoted(x.Text))
	}
	return b.String()
}

func (m *Markdown) heading(b *strings.Builder, who string, at time.Time) {
	fmt.Fprintf(b, "\n## %s · %s\n", who, m.clock(at))
}

func (m *Markdown) sender(x *domain.Message) string {
	who := map[domain.Sender]string{
		domain.SenderUser: m.say("Person", "Personne"), domain.SenderAI: m.say("AI", "IA"), domain.SenderSystem: m.say("Server", "Serveur"),
	}[x.Sender]
	if by := cmp.Or(x.SenderName, x.SenderID); x.Sender == domain.SenderUser && by != "" {
		who += " (" + escaped(oneLine(by)) + ")"
	}
	if x.System != nil {
		who += " · " + escaped(string(x.System.Type))
	}
	switch x.ShownStatus() {
	case domain.MessageSuperseded:
		who += " · " + m.say("superseded", "remplacée")
	case domain.MessageQueued:
		who += " · " + m.say("waits its turn", "attend son tour")
	case domain.MessageInterrupted:
		who += " · " + m.say("interrupted", "interrompue")
	default:
		if x.AI != nil && x.AI.StopReason == domain.StopLength {
			who += " · " + m.say("cut at its length limit", "coupée à sa limite de longueur")
		}
	}
	return who
}

// answer is what the AI said, with the commands it asked for.
func (m *Markdown) answer(b *strings.Builder, a *domain.AIMessage) {
	text := a.PreText
	if text == domain.InvalidFormatText {
		text = m.say("(This answer could not be read.)", "(Cette réponse était illisible.)")
	}
	b.WriteString(quoted(text))
	for _, list := range [][]domain.Command{a.DataCommands, a.ActionCommands} {
		for _, c := range list {
			folded(b, m.say("Asks for %s", "Demande %s", c.Type), "json", string(c.Params))
		}
	}
	if a.Module != nil {
		folded(b, m.say("Asks: %s", "Pose la question : %s", a.Module.Type), "json", string(a.Module.Data))
	}
	b.WriteString(quoted(a.Report))
	b.WriteString(quoted(a.PostText))
}

// given says what files the AI had before it.
func (m *Markdown) given(b *strings.Builder, raw *domain.RawAnswer) {
	if text := m.promptFiles(raw); text != "" {
		fmt.Fprintf(b, "\n- %s\n", escaped(text))
	}
}

// result writes the result of one command.
func (m *Markdown) result(b *strings.Builder, r *domain.CommandResult) {
	title := r.Command + " · " + string(r.Status)
	if r.Summary != "" {
		title += " · " + r.Summary
	}
	text := r.Text
	if r.Error != nil {
		text = strings.TrimSpace(r.Error.Code + ": " + r.Error.Message + "\n" + text)
	}
	folded(b, title, "", text)
}

// Approval is a question to a person, and who said what.
func (m *Markdown) Approval(a *domain.Approval) string {
	a = a.In(m.language)
	var b strings.Builder
	m.heading(&b, m.say("Question to a person", "Question à une personne")+" · "+escaped(string(a.Kind)), a.CreatedAt)
	b.WriteString(quoted(a.Text))
	if len(a.Reasons)+len(a.Actions) > 0 {
		b.WriteByte('\n')
	}
	for _, r := range a.Reasons {
		fmt.Fprintf(&b, "- %s\n", m.say("because: %s", "parce que : %s", escaped(oneLine(r.Text))))
	}
	for i := range a.Actions {
		fmt.Fprintf(&b, "- %s\n", escaped(oneLine(a.Actions[i].Text)))
	}
	if a.Module != nil {
		folded(&b, a.Module.Type, "json", string(a.Module.Data))
	}
	if a.SettledAt == nil {
		fmt.Fprintf(&b, "\n**%s**\n", m.say("Still open", "Encore ouverte"))
		return b.String()
	}
	by := a.SettledBy
	if by == "" {
		by = m.say("nobody", "personne")
	}
	fmt.Fprintf(&b, "\n**%s**\n", m.say("%s by %s, %s",
		"%s par %s, %s", escaped(string(a.Status)), escaped(oneLine(by)), m.clock(*a.SettledAt)))
	if len(a.Decision) > 0 {
		folded(&b, m.say("The answer", "La réponse"), "json", string(a.Decision))
	}
	return b.String()
}

// shown is how many characters of a result a reader gets.
const shown = 2000

// folded is a block that opens at a click.
func folded(b *strings.Builder, title, language, text string) {
	if text == "" || text == "{}" {
		fmt.Fprintf(b, "\n- %s\n", escaped(oneLine(title)))
		return
	}
	if n := utf8.RuneCountInString(text); n > shown {
		text = string([]rune(text)[:shown]) + fmt.Sprintf(" … (+%d)", n-shown)
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s\n</details>\n", html.EscapeString(oneLine(title)), fenced(language, text))
}

// fenced puts text between fences that are longer than any within.
func fenced(language, text string) string {
	longest, run := 2, 0
	for _, c := range text {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimSuffix(newlines(text), "\n") + "\n" + fence + "\n"
}

// quoted returns a text as a block quote: its Markdown is kept, but no open fence and no tag reaches beyond its end.
func quoted(text string) string {
	text = strings.TrimRight(newlines(text), "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var b strings.Builder
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		if fence == "" {
			fence = opens(line)
			if fence == "" {
				line = withoutTags(line)
			}
		} else if closes(line, fence) {
			fence = ""
		}
		b.WriteString("\n> " + line)
	}
	return b.String() + "\n"
}

// opens is the fence that a line begins a block of code with, "" if it does not.
func opens(line string) string {
	inner := strings.TrimLeft(line, " ")
	if len(line)-len(inner) > 3 || inner == "" || inner[0] != '`' && inner[0] != '~' {
		return ""
	}
	rest := strings.TrimLeft(inner, inner[:1])
	fence := inner[:len(inner)-len(rest)]
	if len(fence) < 3 || fence[0] == '`' && strings.Contains(rest, "`") {
		return ""
	}
	return fence
}

func closes(line, fence string) bool {
	inner := strings.TrimSpace(line)
	return len(line)-len(strings.TrimLeft(line, " ")) <= 3 && len(inner) >= len(fence) && strings.Trim(inner, fence[:1]) == ""
}

// withoutTags takes the meaning from what would be HTML.
func withoutTags(line string) string {
	var b strings.Builder
	for i := range len(line) {
		if line[i] == '<' && i+1 < len(line) && tagBegins(line[i+1]) {
			b.WriteString("&lt;")
			continue
		}
		b.WriteByte(line[i])
	}
	return b.String()
}

func tagBegins(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '/' || c == '!' || c == '?'
}

// newlines is a text of several lines as everybody's editor and terminal shows it: what
// would steer them is escaped.
func newlines(text string) string {
	return visible.Printable(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
}

func oneLine(text string) string { return visible.Printable(strings.Join(strings.Fields(text), " ")) }

// escaped takes the meaning from the marks in a short text.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune("\\`*_{}[]<>#|~!&", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
