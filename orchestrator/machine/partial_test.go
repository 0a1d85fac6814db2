package machine

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// cut brings an answer of text alone that did not come to its end.
func (w *world) cut(text, stop string) *domain.Step {
	w.t.Helper()
	received, parsed := w.answer(text, nil)
	parsed.Raw.StopReason, parsed.Raw.CutLimit, parsed.Answer.StopReason = stop, 1024, stop
	received.Raw = parsed.Raw
	w.step(received)
	return w.step(parsed)
}

// TestARunLearnsThatItsAnswerWasCut verifies that the AI of a run receives the reason why its answer is incomplete,
// and continues.
func TestARunLearnsThatItsAnswerWasCut(t *testing.T) {
	for stop, words := range map[string]string{domain.StopLength: "was cut at its length limit (max_tokens is 1024)", domain.StopUnknown: "ended before it was whole"} {
		w := newWorld(t, domain.Run)
		w.must(domain.EnrichmentsExecuted{})
		step := w.cut("First, I", stop)
		last := step.Change.Messages[len(step.Change.Messages)-1]
		if w.s.Phase != domain.CallingAI || last.System == nil || last.System.Type != domain.SystemGuidance || !strings.Contains(last.System.Summary, words) ||
			!strings.Contains(last.System.Summary, "Go on with the task") {
			t.Errorf("%s: in %s the AI reads %+v", stop, w.s.Phase, last.System)
		}
	}
}

// A chat rests with what came, and says that it is not all, in the workspace's language.
func TestAChatSaysThatAnAnswerWasCut(t *testing.T) {
	for language, words := range map[string]string{"en": "cut at its length limit of 1024 tokens", "fr": "coupée à sa limite de 1024 jetons"} {
		w := newWorld(t, domain.Chat)
		w.settings.Language = language
		w.must(domain.UserMessageSent{Message: &domain.Message{ID: "msg_1", Sender: domain.SenderUser, Text: "Count."}})
		step := w.cut("One, two,", domain.StopLength)
		var notice *domain.Notice
		for _, e := range step.Change.Events {
			if e.Notice != nil && e.Notice.Code == "answer_cut" {
				notice = e.Notice
			}
		}
		if w.s.Phase != domain.Idle || notice == nil || !strings.Contains(notice.Text, words) {
			t.Errorf("%s: in %s: %+v", language, w.s.Phase, notice)
		}
		for _, m := range step.Change.Messages {
			if m.System != nil {
				t.Errorf("%s: the record says %+v", language, m.System)
			}
		}
	}
}

// What had come of an answer that breaks off stays in a chat; a run asks again by itself.
func TestAPartStaysInAChatAlone(t *testing.T) {
	for _, kind := range []domain.SessionType{domain.Chat, domain.Run} {
		w := newWorld(t, kind)
		if kind == domain.Chat {
			w.must(domain.UserMessageSent{Message: &domain.Message{ID: "msg_1", Sender: domain.SenderUser, Text: "Say it."}})
		} else {
			w.must(domain.EnrichmentsExecuted{})
		}
		part := &domain.PartialAnswer{MessageID: "msg_9", Text: "Half an", StopReason: domain.StopBrokenOff}
		step := w.step(domain.NetworkErrorOccurred{Problem: "broke off", Partial: part})
		kept := 0
		for _, m := range step.Change.Messages {
			if m.ID == "msg_9" && m.Status == domain.MessageInterrupted && m.AI.StopReason == domain.StopBrokenOff && m.AI.PreText == "Half an" {
				kept++
			}
		}
		if want := map[domain.SessionType]int{domain.Chat: 1}[kind]; kept != want {
			t.Errorf("a %s keeps %d parts, want %d", kind, kept, want)
		}
	}
}

// TestWhatIsLeftOutIsSaidOnceARound verifies that people see once a round that the AI did not read the whole
// conversation.
func TestWhatIsLeftOutIsSaidOnceARound(t *testing.T) {
	w := newWorld(t, domain.Chat)
	said := 0
	ask := func(parts ...part) {
		received, parsed := w.answer("well", parts)
		received.LeftOut = 500
		for _, e := range w.step(received).Change.Events {
			if e.Notice != nil && e.Notice.Code == "context_left_out" {
				said++
			}
		}
		w.step(parsed)
	}
	w.must(domain.UserMessageSent{Message: &domain.Message{ID: "msg_1", Sender: domain.SenderUser, Text: "Look."}})
	ask(part{"query", "ZONES"})
	e, _ := w.ran(0, domain.ExecFailed)
	w.step(e)
	ask()
	if said != 1 {
		t.Errorf("said %d times in a round", said)
	}
	w.must(domain.UserMessageSent{Message: &domain.Message{ID: "msg_2", Sender: domain.SenderUser, Text: "Again."}})
	ask()
	if said != 2 {
		t.Errorf("said %d times in two rounds", said)
	}
}
