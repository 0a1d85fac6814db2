package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

type transitionRow struct {
	WorkspaceID string `db:"workspace_id"`
	SessionID   string `db:"session_id"`
	Number      int64  `db:"number"`
	From        string `db:"from_phase"`
	To          string `db:"to_phase"`
	Event       string `db:"event"`
	Reason      string `db:"reason"`
	Status      string `db:"status"`
	RoundID     string `db:"round_id"`
	Epoch       int64  `db:"epoch"`
	At          stamp  `db:"at"`
}

const (
	transitionColumns = "workspace_id, session_id, number, from_phase, to_phase, event, reason, status, round_id, epoch, at"
	transitionWidth   = 11
)

func (t *tx) writeTransitions(transitions []*domain.Transition) {
	args := make([]any, 0, len(transitions)*transitionWidth)
	for _, x := range transitions {
		args = append(args, x.WorkspaceID, x.SessionID, x.Number, string(x.From), string(x.To), x.Event, x.Reason,
			string(x.Status), x.RoundID, x.Epoch, stamp{x.At})
	}
	t.later(batch{"transitions", transitionColumns, transitionWidth, args})
}

// Transitions lists every transition of a session, in order.
func (s *Store) Transitions(ctx context.Context, workspace, session string) ([]*domain.Transition, error) {
	var rows []transitionRow
	err := s.reads.all(ctx, &rows, "SELECT "+transitionColumns+" FROM transitions "+
		"WHERE workspace_id = $1 AND session_id = $2 ORDER BY number", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the transitions: %w", err)
	}
	if len(rows) == 0 {
		if err := sessionExists(ctx, s.reads, workspace, session); err != nil {
			return nil, err
		}
	}
	return each(rows, (*transitionRow).transition)
}

func (r *transitionRow) transition() (*domain.Transition, error) {
	return &domain.Transition{
		WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, Number: r.Number, From: domain.Phase(r.From),
		To: domain.Phase(r.To), Event: r.Event, Reason: r.Reason, Status: domain.Status(r.Status),
		RoundID: r.RoundID, Epoch: r.Epoch, At: r.At.Time,
	}, nil
}

type roundtripRow struct {
	WorkspaceID  string   `db:"workspace_id"`
	ID           string   `db:"id"`
	SessionID    string   `db:"session_id"`
	SessionType  string   `db:"session_type"`
	AutomationID string   `db:"automation_id"`
	RoundID      string   `db:"round_id"`
	MessageID    string   `db:"message_id"`
	Number       int      `db:"number"`
	Reason       string   `db:"reason"`
	ProviderID   string   `db:"provider_id"`
	ProviderKind string   `db:"provider_kind"`
	Model        string   `db:"model"`
	Purpose      string   `db:"purpose"`
	Outcome      string   `db:"outcome"`
	Error        string   `db:"error"`
	Input        int64    `db:"input_tokens"`
	CacheRead    int64    `db:"cache_read_tokens"`
	CacheWrite   int64    `db:"cache_write_tokens"`
	Output       int64    `db:"output_tokens"`
	Reasoning    int64    `db:"reasoning_tokens"`
	Cost         *float64 `db:"cost"`
	PromptHash   string   `db:"prompt_hash"`
	PromptTokens int      `db:"prompt_tokens"`
	Streamed     bool     `db:"streamed"`
	StartedAt    stamp    `db:"started_at"`
	FirstTokenAt stamp    `db:"first_token_at"`
	EndedAt      stamp    `db:"ended_at"`
}

const (
	roundtripColumns = "workspace_id, id, session_id, session_type, automation_id, round_id, message_id, number, reason, " +
		"provider_id, provider_kind, model, purpose, outcome, error, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, " +
		"reasoning_tokens, cost, prompt_hash, prompt_tokens, streamed, started_at, first_token_at, ended_at"
	roundtripWidth = 27
)

func (t *tx) writeRoundtrips(roundtrips []*domain.Roundtrip) {
	roundtrips = distinct(roundtrips, func(r *domain.Roundtrip) string { return r.ID })
	args := make([]any, 0, len(roundtrips)*roundtripWidth)
	for _, r := range roundtrips {
		args = append(args, r.WorkspaceID, r.ID, r.SessionID, string(r.SessionType), r.AutomationID, r.RoundID, r.MessageID,
			r.Number, string(r.Reason), r.ProviderID, r.ProviderKind, r.Model, r.Purpose, r.Outcome, r.Error, r.Usage.InputTokens,
			r.Usage.CacheReadTokens, r.Usage.CacheWriteTokens, r.Usage.OutputTokens, r.Usage.ReasoningTokens, r.Usage.Cost,
			r.PromptHash, r.PromptTokens, r.Streamed, stamp{r.StartedAt}, stampOf(r.FirstTokenAt), stamp{r.EndedAt})
	}
	t.later(batch{"roundtrips", roundtripColumns, roundtripWidth, args})
}

// Roundtrips lists every call of the AI that a session made, oldest first.
func (s *Store) Roundtrips(ctx context.Context, workspace, session string) ([]*domain.Roundtrip, error) {
	if err := sessionExists(ctx, s.reads, workspace, session); err != nil {
		return nil, err // those of a deleted session stay, for the sums alone
	}
	var rows []roundtripRow
	err := s.reads.all(ctx, &rows, "SELECT "+roundtripColumns+" FROM roundtrips "+
		"WHERE workspace_id = $1 AND session_id = $2 ORDER BY started_at, number, id", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the roundtrips: %w", err)
	}
	return each(rows, (*roundtripRow).roundtrip)
}

func (r *roundtripRow) roundtrip() (*domain.Roundtrip, error) {
	return &domain.Roundtrip{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, SessionType: domain.SessionType(r.SessionType),
		AutomationID: r.AutomationID, RoundID: r.RoundID, MessageID: r.MessageID,
		Number: r.Number, Reason: domain.RoundtripReason(r.Reason), ProviderID: r.ProviderID,
		ProviderKind: r.ProviderKind, Model: r.Model, Purpose: r.Purpose, Outcome: r.Outcome, Error: r.Error,
		Usage: domain.Usage{
			InputTokens: r.Input, CacheReadTokens: r.CacheRead, CacheWriteTokens: r.CacheWrite,
			OutputTokens: r.Output, ReasoningTokens: r.Reasoning, Cost: r.Cost,
		},
		PromptHash: r.PromptHash, PromptTokens: r.PromptTokens, Streamed: r.Streamed,
		StartedAt: r.StartedAt.Time, FirstTokenAt: r.FirstTokenAt.ptr(), EndedAt: r.EndedAt.Time,
	}, nil
}
