package handlers

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// recordLines is one of each, the later ones first to be found by a wrong order.
func recordLines() []domain.RecordLine {
	at, later := worldTime, worldTime.Add(1500*time.Millisecond)
	return []domain.RecordLine{
		{Kind: domain.RecordTransition, At: at, Transition: &domain.Transition{Number: 3, From: domain.Idle, To: domain.CallingAI, Event: "UserMessageSent", Status: domain.StatusRunning, RoundID: "rnd_1", At: at}},
		{Kind: domain.RecordRoundtrip, At: at, Roundtrip: &domain.Roundtrip{ID: "rtp_1", RoundID: "rnd_1", Number: 1, Reason: "USER_MESSAGE", Purpose: "answer", ProviderKind: "demo", Model: "m", Outcome: "answered",
			PromptHash: "abc", PromptTokens: 9, StartedAt: at, FirstTokenAt: new(at.Add(time.Second)), EndedAt: later, Usage: domain.Usage{InputTokens: 5, Cost: new(0.25)}}},
		{Kind: domain.RecordExecution, At: later, Cut: []string{"result"}, Execution: &domain.Execution{ID: "exe_1", SessionID: "ses_1", RoundID: "rnd_1", Command: "ZONES", Params: json.RawMessage(`{}`),
			Kind: domain.KindQuery, Effect: domain.EffectRead, Status: domain.ExecSuccess, Attempt: 1, CreatedAt: later, StartedAt: &at, EndedAt: &later}},
	}
}

func (w *world) Timeline(_ context.Context, ws, id string, f domain.TimelineFilter) ([]domain.RecordLine, string, error) {
	if _, err := w.session(ws, id); err != nil {
		return nil, "", err
	}
	if err := w.told(f); err != nil {
		return nil, "", err
	}
	var out []domain.RecordLine
	for _, l := range recordLines() {
		if f.Wants(l.Kind) {
			out = append(out, l)
		}
	}
	return out, "", nil
}

func (w *world) SessionApprovals(_ context.Context, ws, id, cursor string, limit int) ([]*domain.Approval, string, error) {
	if _, err := w.session(ws, id); err != nil {
		return nil, "", err
	}
	if cursor != "" || w.approval.SessionID != id {
		return nil, "", nil
	}
	return []*domain.Approval{w.approval}, "", w.told([]any{cursor, limit})
}

func (w *world) Standing(_ context.Context, ws, id string) (*domain.Standing, error) {
	s, err := w.session(ws, id)
	if err != nil {
		return nil, err
	}
	return &domain.Standing{
		View: &domain.View{Workspace: w.spaces[0], Session: s, Holder: s, Open: []*domain.Approval{w.approval}},
		Last: []*domain.Transition{{Number: 4, From: domain.ParsingAIResponse, To: domain.WaitingValidation, Event: "AIResponseParsed", Status: domain.StatusRequiresAction, At: worldTime}},
	}, w.told("standing " + id)
}

func (w *world) Usage(_ context.Context, _ string, f domain.UsageFilter) ([]domain.UsageRow, string, error) {
	return []domain.UsageRow{{Key: "m", Calls: 2, Errors: 1, Usage: domain.Usage{InputTokens: 5}}, {Key: "n", Label: "N", Usage: domain.Usage{Cost: new(0.5)}}}, strconv.Itoa(f.Limit), w.told(f)
}
