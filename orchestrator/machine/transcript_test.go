package machine

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txt and docs/state-machine.md")

// TestTranscripts plays testdata/*.txt. A line that begins with ">" is an event for the session; the lines up to
// the next one are the result: transitions, events with their messages, and the effect. Lines with "#" are
// comments.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 15 {
		t.Fatalf("only %d transcripts: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			given, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(given))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(given) {
				t.Errorf("%s differs; look at the difference and run with -update\n%s", file, diff(string(given), got))
			}
		})
	}
}

func diff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			have := "(nothing)"
			if i < len(b) {
				have = b[i]
			}
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i+1, a[i], have)
		}
	}
	return "there is more than expected"
}

func play(t *testing.T, script string) string {
	var out strings.Builder
	var w *world
	for line := range strings.SplitSeq(script, "\n") {
		if strings.HasPrefix(line, "#") {
			fmt.Fprintf(&out, "%s\n", line)
			continue
		}
		said, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		fmt.Fprintf(&out, "\n%s\n", line)
		verb, rest, _ := strings.Cut(said, " ")
		if verb == "new" {
			kind := domain.SessionType(strings.Fields(rest)[0])
			w = newWorld(t, kind)
			for _, option := range strings.Fields(rest)[1:] {
				w.set(option)
			}
			continue
		}
		w.say(&out, verb, rest)
	}
	return out.String()
}

// set changes the settings: limit=3, tokens=500 …
func (w *world) set(option string) {
	name, value, _ := strings.Cut(option, "=")
	n, _ := strconv.Atoi(value)
	both := func(change func(*domain.Limits)) {
		change(&w.settings.Limits.Chat)
		change(&w.settings.Limits.Automation)
	}
	switch name {
	case "roundtrips":
		both(func(l *domain.Limits) { l.MaxAutonomousRoundtrips = &n })
	case "queries":
		both(func(l *domain.Limits) { l.MaxDataQueryIterations = &n })
	case "retries":
		both(func(l *domain.Limits) { l.MaxActionRetries = &n })
	case "format":
		both(func(l *domain.Limits) { l.MaxFormatErrorRetries = &n })
	case "commands":
		both(func(l *domain.Limits) { l.MaxCommandsPerSession = &n })
	case "tokens":
		tokens := int64(n)
		both(func(l *domain.Limits) { l.MaxTokensPerRound = &tokens })
	case "context":
		both(func(l *domain.Limits) { l.ContextBudgetTokens = &n })
	case "validation":
		w.settings.AutomationValidation = value
	case "network":
		w.settings.NetworkRetry.Policy = value
	case "expiry":
		w.settings.ApprovalExpiry = domain.Duration(time.Minute)
		w.settings.ApprovalOnExpiry = value
	case "after":
		w.settings.AfterActions = value
	case "completion":
		w.ask = value == "ask"
	case "actions":
		w.replans = value == "kept"
	case "slot":
		w.s.HoldsSlot = value == "yes"
	default:
		w.t.Fatalf("unknown option %q", option)
	}
}

// say applies the event of a line of the script and writes its result.
func (w *world) say(out *strings.Builder, verb, rest string) {
	w.now = w.now.Add(time.Second)
	text, options := splitOptions(rest)
	if verb == "ai" || verb == "unreadable" || verb == "overtaken" {
		w.sayAI(out, verb, rest)
		return
	}
	if verb == "slot" {
		step, err := w.grant(text == "again after a crash")
		w.show(out, step, err)
		return
	}
	step, err := w.do(w.eventOf(verb, text, options))
	w.show(out, step, err)
}

// splitOptions takes the words that begin with @ off the text.
func splitOptions(s string) (text string, options []string) {
	var words []string
	for word := range strings.FieldsSeq(s) {
		if option, ok := strings.CutPrefix(word, "@"); ok {
			options = append(options, option)
		} else {
			words = append(words, word)
		}
	}
	return strings.Join(words, " "), options
}

// sayAI lets the AI answer: "text; query ZONES; complete".
func (w *world) sayAI(out *strings.Builder, verb, rest string) {
	pieces := strings.Split(rest, ";")
	var parts []part
	for _, piece := range pieces[1:] {
		kind, name, _ := strings.Cut(strings.TrimSpace(piece), " ")
		parts = append(parts, part{kind, name})
	}
	received, parsed := w.answer(strings.TrimSpace(pieces[0]), parts)
	var step *domain.Step
	var err error
	if w.s.Phase != domain.ParsingAIResponse { // a held answer is read again
		step, err = w.do(received)
		w.show(out, step, err)
	}
	if err != nil {
		return
	}
	if verb == "overtaken" { // the slot comes before the answer is read
		step, err = w.grant(false)
		w.show(out, step, err)
	}
	if verb == "unreadable" {
		step, err = w.do(domain.ParseErrorOccurred{MessageID: parsed.MessageID, Raw: parsed.Raw, Problem: "The answer is no JSON object."})
	} else {
		step, err = w.do(parsed)
	}
	w.show(out, step, err)
}

func (w *world) eventOf(verb, text string, options []string) domain.Event {
	d := domain.Decision{By: domain.Author{ID: "ada"}, Comment: text}
	switch verb {
	case "user":
		return w.userEvent(text, options)
	case "enriched":
		now := w.now
		return domain.EnrichmentsExecuted{Formatted: "42 kg", Executions: []*domain.Execution{
			{ID: w.id("exe"), Command: "TOOL_DATA", Kind: domain.KindQuery, Status: domain.ExecSuccess, StartedAt: &now, EndedAt: &now}}}
	case "ran":
		e, _ := w.ran(0, "")
		return e
	case "failed", "unknown":
		n, _ := strconv.Atoi(text)
		status := map[string]domain.ExecutionStatus{"failed": domain.ExecFailed, "unknown": domain.ExecUnknown}[verb]
		e, _ := w.ran(n, status)
		return e
	case "started":
		e, _ := w.ran(0, "")
		var started []*domain.Execution
		switch e := e.(type) {
		case domain.ActionsExecuted:
			started = e.Executions
		case domain.DataQueriesExecuted:
			started = e.Executions
		}
		for _, x := range started {
			x.Status = domain.ExecPending
		}
		return domain.ExternalTasksStarted{Executions: started, Tasks: strings.Fields(text)}
	case "begin":
		n, _ := strconv.Atoi(text)
		return w.begun(n)
	case "late":
		return w.lateResult(options)
	case "task":
		late := domain.CommandResult{ExecutionID: "exe_1", Command: "REPORT", Status: domain.ExecSuccess, Text: "ready"}
		for _, option := range options {
			late.From = domain.From(domain.OriginTask, option)
		}
		return domain.ExternalResultReceived{TaskID: text, Result: late}
	case "ended":
		return w.taskEnded(text, options)
	case "stale":
		return w.stale()
	case "wants":
		return w.wants(text, options)
	case "tell":
		d.Approved, d.Comment, d.Value = true, "", []byte(text)
		return domain.ValidationReceived{Answer: domain.Answer{Decision: d, Text: text}}
	case "begins":
		return w.begins()
	case "asks":
		return w.asks()
	case "answered":
		return domain.AgentAnswered{Agent: w.agents[0].Session.ID}
	case "yes":
		d.Approved = true
		for _, option := range options {
			n, _ := strconv.Atoi(option)
			d.ApprovedIDs = append(d.ApprovedIDs, w.planned()[n-1])
		}
		return domain.ValidationReceived{Answer: domain.Answer{Decision: d, Recorded: []byte(`{"approved":true}`)}}
	case "no":
		return domain.ValidationReceived{Answer: domain.Answer{Decision: d, Recorded: []byte(`{"approved":false}`)}}
	case "raise":
		d.Approved = true
		if limit, err := strconv.ParseFloat(text, 64); err == nil {
			d.Limit = &limit
		}
		return domain.BudgetRaised{Answer: domain.Answer{Decision: d}}
	case "confirm":
		return domain.CompletionConfirmed{Answer: domain.Answer{Decision: d}}
	case "reject":
		return domain.CompletionRejected{Answer: domain.Answer{Decision: d}}
	case "reply":
		return domain.CommunicationResponseReceived{Answer: domain.Answer{Decision: d, Text: text}}
	case "results":
		d.Results = w.clientResults(text)
		return domain.CommunicationResponseReceived{Answer: domain.Answer{Decision: d}}
	case "again":
		return w.retry(text, options)
	case "choose":
		return w.choose(text)
	case "interrupt":
		return domain.InterruptRequested{By: "ada", MessageID: "msg_cut", PartialText: text}
	case "later":
		after, err := time.ParseDuration(text)
		if err != nil {
			w.t.Fatalf("later %q: %v", text, err)
		}
		w.now = w.now.Add(after)
		return domain.SchedulerHeartbeat{Driven: true}
	}
	return w.plainEvent(verb, text)
}

// taskEnded ends a task without a result: "ended tsk_1 @cancelled".
func (w *world) taskEnded(task string, options []string) domain.Event {
	result := domain.CommandResult{ExecutionID: "exe_1", Command: "REPORT", Status: domain.ExecCancelled}
	switch options[0] {
	case "cancelled":
		result.Error = &domain.CommandError{Code: domain.CodeTaskCancelled, Message: "A person cancelled it."}
	case "withdrawn":
		result.Error = &domain.CommandError{Code: domain.CodeTaskWithdrawn, Message: "Out of paper."}
	case "expired":
		result.Status = domain.ExecFailed
		result.Error = &domain.CommandError{Code: domain.CodeTaskExpired, Message: "Its time was over before it ended."}
	default:
		w.t.Fatalf("ended %q", options)
	}
	return domain.ExternalResultReceived{TaskID: task, Result: result}
}

func (w *world) plainEvent(verb, text string) domain.Event {
	failed := &domain.Roundtrip{Outcome: "network"}
	e, ok := map[string]domain.Event{
		"refuse":    domain.BudgetRefused{Answer: domain.Answer{Decision: domain.Decision{By: domain.Author{ID: "ada"}}}},
		"cancel":    domain.CommunicationCancelled{Answer: domain.Answer{Decision: domain.Decision{By: domain.Author{ID: "ada"}, Cancelled: true}}},
		"offline":   domain.NetworkErrorOccurred{Problem: "connection refused", Roundtrip: failed},
		"online":    domain.NetworkAvailable{},
		"error":     domain.SystemErrorOccurred{Code: "authentication", Problem: "The key is wrong.", Roundtrip: failed},
		"too-long":  domain.ContextBudgetExceeded{},
		"compacted": domain.ContextCompacted{Summary: text, Tokens: 10},
		"retry":     domain.RoundRequested{},
		"stop":      domain.StopRequested{By: "ada"},
		"resume":    domain.SessionResumed{},
		"suspend":   domain.SessionSuspended{},
		"evict":     domain.SessionEvicted{},
		"stalled":   domain.WatchdogExpired{Reason: domain.Same("Nothing happened for 10m0s.")},
		"activate":  domain.SessionActivationRequested{},
		"crash":     domain.SessionActivationRequested{Recovery: true, Died: true},
		"given-up":  domain.NetworkGivenUp{},
		"expired":   domain.ApprovalExpired{},
	}[verb]
	if !ok {
		w.t.Fatalf("unknown verb %q", verb)
	}
	return e
}

func (w *world) userEvent(text string, options []string) domain.Event {
	e := domain.UserMessageSent{Message: w.message(text)}
	for _, option := range options {
		switch option {
		case "webhook":
			e.Message.Rich.Segments = []domain.Segment{
				{Type: "text", Text: "Look at this."}, {Type: "text", Text: text, From: domain.From(domain.OriginWebhook, "Alerts")},
			}
		case "data":
			e.Message.Rich.Commands = []domain.Command{{Type: "TOOL_DATA"}}
		case "interrupt":
			return domain.InterruptRequested{By: "ada", Then: &e}
		case "cut":
			e.IfBusy, e.Explicit = domain.IfBusyInterrupt, true
		default:
			e.IfBusy, e.Explicit = domain.IfBusy(option), true
		}
	}
	return e
}

// show writes the result of an event.
func (w *world) show(out *strings.Builder, step *domain.Step, err error) {
	if err != nil {
		fmt.Fprintf(out, "  refused: %s\n", domain.ErrorCode(err))
		return
	}
	for _, e := range step.Change.Events {
		whose := ""
		if e.SessionID != "" && e.SessionID != step.Session.ID {
			whose = e.SessionID + ": "
		}
		fmt.Fprintf(out, "  %s%s\n", whose, showEvent(e))
	}
	s := step.Session
	fmt.Fprintf(out, "  = %s, %s", s.Phase, s.Status())
	for _, note := range []struct {
		when bool
		text string
	}{
		{step.Effect != "", "do " + string(step.Effect)}, {step.Uncommitted, "uncommitted"},
		{step.ReleasesSlot, "releases the slot"}, {step.AsksSlot, "asks for the slot"},
		{s.EndReason != "", "reason " + string(s.EndReason)}, {step.Effect == domain.DoCallAI, "for " + string(s.State.NextReason)},
	} {
		if note.when {
			fmt.Fprintf(out, ", %s", note.text)
		}
	}
	if s.WakeAt != nil {
		fmt.Fprintf(out, ", wakes in %s", s.WakeAt.Sub(w.now))
	}
	fmt.Fprintln(out)
}

func showEvent(e *domain.LogEvent) string {
	text := string(e.Type)
	switch {
	case e.Phase != nil:
		text += fmt.Sprintf(" %s -> %s by %s", e.Phase.From, e.Phase.To, e.Phase.Event)
		if e.Phase.Reason != "" {
			text += " (" + e.Phase.Reason + ")"
		}
	case e.Message != nil:
		text += " " + showMessage(e.Message)
	case e.Approval != nil:
		text += fmt.Sprintf(" %s %s %s", e.Approval.ID, e.Approval.Kind, e.Approval.Status)
		for _, r := range e.Approval.Reasons {
			if r.Level == domain.LevelOutside || r.Level == domain.LevelConnector {
				text += fmt.Sprintf(" %q", r.Text)
			}
		}
	case e.Execution != nil:
		text += fmt.Sprintf(" %s %s %s", e.Execution.ID, e.Execution.Command, e.Execution.Status)
	case e.Session != nil:
		text += " " + string(e.Session.Status())
	case e.Notice != nil:
		text += " " + e.Notice.Code
	case e.Answers != nil:
		text += fmt.Sprintf(" superseded %v, current %v", e.Answers.Superseded, e.Answers.Current)
	case e.Usage != nil:
		text += fmt.Sprintf(" %s %d tokens", e.Usage.Reason, e.Usage.Usage.Total())
	}
	return text
}

func showMessage(m *domain.Message) string {
	text := fmt.Sprintf("%s %s", m.ID, m.Sender)
	if m.Status != domain.MessageStored {
		text += " " + string(m.Status)
	}
	if m.AnswersCall != "" {
		text += " answers " + m.AnswersCall
	}
	switch {
	case m.Rich != nil:
		text += fmt.Sprintf(" %q", m.Rich.LinearText)
	case m.Text != "":
		text += fmt.Sprintf(" %q", m.Text)
	case m.AI != nil:
		text += fmt.Sprintf(" %q", m.AI.PreText)
	case m.System != nil:
		text += fmt.Sprintf(" %s %q", m.System.Type, m.System.Summary)
		for _, r := range m.System.CommandResults {
			text += fmt.Sprintf(" [%s %s %s]", strings.TrimSpace(r.CallID+" "+r.Command), r.Status, firstText(r))
		}
	}
	if unread := m.Unread(); len(unread) > 0 {
		text += fmt.Sprintf(" (made without %s)", strings.Join(unread, ", "))
	}
	if m.ExcludeFromPrompt {
		text += " (not in the prompt)"
	}
	return text
}

func firstText(r domain.CommandResult) string {
	for _, text := range []string{r.Text, errorText(r.Error), r.Note} {
		if text != "" {
			return strconv.Quote(text)
		}
	}
	return "-"
}
