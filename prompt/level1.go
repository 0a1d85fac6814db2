package prompt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// Level1Input is everything that level 1 depends on. Of Settings it uses Language, PromptDetail,
// PromptChunks, MaxCallsPerResponse and AfterActions.
type Level1Input struct {
	SessionType domain.SessionType
	Settings    *domain.Settings
	Protocol    domain.Protocol
	Specs       []domain.CommandSpec
	Limits      domain.Limits
	// Validation is an automation's policy for actions that need approval (park, refuse, allow).
	// Granted reports whether it has grants.
	Validation string
	Granted    bool
}

// Rule is a part of level 1 that a workspace has replaced.
type Rule struct {
	Name string // of the replaced chunk
	Text string
}

// Level1 returns the documentation at the beginning of every prompt. It contains only texts of
// Fermata and its operator, and none of a workspace. The same input gives the same bytes, for the
// provider's cache. Rules are the parts replaced by the workspace; they belong to level 2.
func Level1(in Level1Input) (text string, rules []Rule) {
	fill := placeholders(&in)
	var parts []string
	for i := range chunks {
		c := &chunks[i]
		text, isIn := in.Settings.ChunkText(c)
		switch text = strings.TrimSpace(text); {
		case !isIn || !fits(c, in):
		case text == c.Text:
			parts = append(parts, fill.Replace(text))
		case text != "":
			rules = append(rules, Rule{Name: c.Name, Text: fill.Replace(text)})
		}
	}
	return join(parts), rules
}

// placeholders returns the values of the placeholders in chunks.
func placeholders(in *Level1Input) *strings.Replacer {
	return strings.NewReplacer(
		"{language}", languageName(in.Settings.Language),
		"{max_calls}", strconv.Itoa(in.Settings.MaxCallsPerResponse),
		"{limits}", limitsText(in.Limits),
		"{approvals}", approvalsText(in.Validation, in.Granted),
		"{command_names}", commandNames(in.Specs),
		"{commands}", commandDocs(in.Specs),
		"{further_commands}", furtherCommands(in.Specs),
		"{action_flags}", actionFlags(in),
		"{own_request}", ownRequest(in.SessionType),
		"{validation_field}", validationField(in.SessionType),
	)
}

// actionFlags describes the parameters common to all actions, which no definition repeats.
func actionFlags(in *Level1Input) string {
	flags := []string{"`repeat: true` (run again what the person wants twice within 30 seconds; else CACHED)"}
	if in.SessionType.CountsAIRequest() && in.Protocol == domain.ProtocolNative { // JSON answers have a field for it
		flags = append(flags, "`validation_request: true` (a person approves it first)")
	}
	if in.Protocol == domain.ProtocolNative && in.SessionType == domain.Chat && in.Settings.AfterActions == domain.AfterActionsRest {
		flags = append(flags, "`keep_control: true` (call you again with the results; without it, text beside actions is your last word, "+
			"and the round ends once all of them have succeeded)")
	}
	return "- Every action also takes " + strings.Join(flags, ", and ") + "."
}

// furtherCommands says when a workspace without a zone is offered more.
func furtherCommands(specs []domain.CommandSpec) string {
	has := func(name string) bool {
		return slices.ContainsFunc(specs, func(s domain.CommandSpec) bool { return s.Name == name })
	}
	if !has("CREATE_ZONE") || has("CREATE_TOOL") {
		return ""
	}
	return "\n- The commands for tools and entries come with the first zone."
}

// ownRequest suggests requesting approval, for session types that support it.
func ownRequest(t domain.SessionType) string {
	if !t.CountsAIRequest() {
		return ""
	}
	return " Set `validation_request` where a change is large, hard to undo, or rests on your own reading of an unclear request."
}

// validationField describes the field that requests approval, for session types that support it.
func validationField(t domain.SessionType) string {
	if !t.CountsAIRequest() {
		return ""
	}
	return "  \"validation_request\"?: boolean, true to have a person agree to the actions first\n"
}

// fits reports whether a chunk applies to this session type and protocol.
func fits(c *chunk, in Level1Input) bool {
	return (len(c.Types) == 0 || slices.Contains(c.Types, in.SessionType)) &&
		(len(c.Protocols) == 0 || slices.Contains(c.Protocols, in.Protocol))
}

var languages = map[string]string{"en": "English", "fr": "French"}

// languageName never returns the text of a setting: unknown languages become English.
func languageName(code string) string {
	if name, ok := languages[code]; ok {
		return name
	}
	return "English"
}

// limitsText lists the limits relevant to the AI under a heading; "" if none is set. Limits in money are
// between Fermata and the person.
func limitsText(l domain.Limits) string {
	var lines []string
	add := func(value *int, what string) {
		if value != nil {
			lines = append(lines, fmt.Sprintf("- at most %d %s", *value, what))
		}
	}
	add(l.MaxAutonomousRoundtrips, "answers of yours in a row before the session stops")
	add(l.MaxDataQueryIterations, "answers in a row that only read data")
	add(l.MaxActionRetries, "corrections in a row of failed actions")
	add(l.MaxFormatErrorRetries, "corrections in a row of unreadable answers")
	add(l.MaxCommandsPerSession, "commands in the whole session")
	if l.MaxTokensPerRound != nil {
		lines = append(lines, fmt.Sprintf("- %d tokens for one request, everything counted", *l.MaxTokensPerRound))
	}
	if len(lines) == 0 {
		return ""
	}
	return "# Limits in force\n" + strings.Join(lines, "\n") + "\nPlan so that you stay well below them."
}

func sorted(specs []domain.CommandSpec) []domain.CommandSpec {
	out := slices.Clone(specs)
	slices.SortStableFunc(out, func(x, y domain.CommandSpec) int { return strings.Compare(x.Name, y.Name) })
	return out
}

// commandNames lists the commands by kind, on three lines.
func commandNames(specs []domain.CommandSpec) string {
	var lines []string
	for _, kind := range []domain.CommandKind{domain.KindQuery, domain.KindAction, domain.KindControl} {
		var names []string
		for _, s := range sorted(specs) {
			if s.Kind == kind {
				names = append(names, s.Name)
			}
		}
		if len(names) > 0 {
			lines = append(lines, "- "+kindTitles[kind]+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(lines, "\n")
}

var kindTitles = map[domain.CommandKind]string{
	domain.KindQuery: "queries (read)", domain.KindAction: "actions (change)", domain.KindControl: "control",
}
