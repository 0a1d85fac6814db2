package repository

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// RecordStore reads the history of sessions: transitions, calls of the AI and of commands, and
// their costs.
type RecordStore struct{ *base }

type transitionRow struct {
	WorkspaceID string      `db:"workspace_id"`
	SessionID   string      `db:"session_id"`
	Number      int64       `db:"number"`
	From        string      `db:"from_phase"`
	To          string      `db:"to_phase"`
	Event       string      `db:"event"`
	Reason      string      `db:"reason"`
	Status      string      `db:"status"`
	RoundID     string      `db:"round_id"`
	Epoch       int64       `db:"epoch"`
	At          sqldb.Stamp `db:"at"`
}

var transitionTable = sqldb.NewTable[transitionRow]("transitions")

func writeTransitions(t *transaction.Tx, transitions []*domain.Transition) {
	rows := make([]transitionRow, len(transitions))
	for i, x := range transitions {
		rows[i] = transitionRow{
			WorkspaceID: x.WorkspaceID, SessionID: x.SessionID, Number: x.Number, From: string(x.From), To: string(x.To), Event: x.Event,
			Reason: x.Reason, Status: string(x.Status), RoundID: x.RoundID, Epoch: x.Epoch, At: sqldb.At(x.At),
		}
	}
	t.InsertLater(transitionTable.Rows(rows...))
}

// Transitions lists the transitions of a session, in order.
func (s *RecordStore) Transitions(ctx context.Context, workspace, session string) ([]*domain.Transition, error) {
	var rows []transitionRow
	err := s.db.All(ctx, &rows, "SELECT "+transitionTable.Columns()+" FROM transitions "+
		"WHERE workspace_id = $1 AND session_id = $2 ORDER BY number", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the transitions: %w", err)
	}
	if len(rows) == 0 {
		if err := sessionExists(ctx, s.db, workspace, session); err != nil {
			return nil, err
		}
	}
	return transaction.Each(rows, (*transitionRow).transition)
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
	promptSizeRow
	Streamed     bool        `db:"streamed"`
	StartedAt    sqldb.Stamp `db:"started_at"`
	FirstTokenAt sqldb.Stamp `db:"first_token_at"`
	EndedAt      sqldb.Stamp `db:"ended_at"`
	Payer        string      `db:"payer"`
}

type promptSizeRow struct {
	PromptTokens int `db:"prompt_tokens"`
	Rules        int `db:"prompt_rules"`
	Commands     int `db:"prompt_commands"`
	Data         int `db:"prompt_data"`
	History      int `db:"prompt_history"`
	Reused       int `db:"prompt_reused"`
}

var roundtripTable = sqldb.NewTable[roundtripRow]("roundtrips")

func writeRoundtrips(t *transaction.Tx, roundtrips []*domain.Roundtrip) {
	roundtrips = transaction.Distinct(roundtrips, func(r *domain.Roundtrip) string { return r.ID })
	rows := make([]roundtripRow, len(roundtrips))
	for i, r := range roundtrips {
		rows[i] = roundtripRow{
			WorkspaceID: r.WorkspaceID, ID: r.ID, SessionID: r.SessionID, SessionType: string(r.SessionType), AutomationID: r.AutomationID,
			RoundID: r.RoundID, Payer: r.Payer, MessageID: r.MessageID, Number: r.Number, Reason: string(r.Reason),
			ProviderID:   r.ProviderID,
			ProviderKind: r.ProviderKind, Model: r.Model, Purpose: r.Purpose, Outcome: r.Outcome, Error: r.Error,
			Input: r.Usage.InputTokens, CacheRead: r.Usage.CacheReadTokens, CacheWrite: r.Usage.CacheWriteTokens,
			Output: r.Usage.OutputTokens, Reasoning: r.Usage.ReasoningTokens, Cost: r.Usage.Cost,
			PromptHash: r.PromptHash, promptSizeRow: promptSizeRow(r.PromptSize), Streamed: r.Streamed,
			StartedAt: sqldb.At(r.StartedAt), FirstTokenAt: sqldb.AtPtr(r.FirstTokenAt), EndedAt: sqldb.At(r.EndedAt),
		}
	}
	t.InsertLater(roundtripTable.Rows(rows...))
}

// Roundtrips lists the calls of the AI that a session made, oldest first.
func (s *RecordStore) Roundtrips(ctx context.Context, workspace, session string) ([]*domain.Roundtrip, error) {
	if err := sessionExists(ctx, s.db, workspace, session); err != nil {
		return nil, err // those of a deleted session stay, but only for the sums
	}
	var rows []roundtripRow
	err := s.db.All(ctx, &rows, "SELECT "+roundtripTable.Columns()+" FROM roundtrips "+
		"WHERE workspace_id = $1 AND session_id = $2 ORDER BY started_at, number, id", workspace, session)
	if err != nil {
		return nil, fmt.Errorf("list the roundtrips: %w", err)
	}
	return transaction.Each(rows, (*roundtripRow).roundtrip)
}

func (r *roundtripRow) roundtrip() (*domain.Roundtrip, error) {
	return &domain.Roundtrip{
		ID: r.ID, WorkspaceID: r.WorkspaceID, SessionID: r.SessionID, SessionType: domain.SessionType(r.SessionType),
		AutomationID: r.AutomationID, RoundID: r.RoundID, Payer: r.Payer, MessageID: r.MessageID,
		Number: r.Number, Reason: domain.RoundtripReason(r.Reason), ProviderID: r.ProviderID,
		ProviderKind: r.ProviderKind, Model: r.Model, Purpose: r.Purpose, Outcome: r.Outcome, Error: r.Error,
		Usage: domain.Usage{
			InputTokens: r.Input, CacheReadTokens: r.CacheRead, CacheWriteTokens: r.CacheWrite,
			OutputTokens: r.Output, ReasoningTokens: r.Reasoning, Cost: r.Cost,
		},
		PromptHash: r.PromptHash, Streamed: r.Streamed,
		PromptSize: domain.PromptSize(r.promptSizeRow),
		StartedAt:  r.StartedAt.Time, FirstTokenAt: r.FirstTokenAt.Ptr(), EndedAt: r.EndedAt.Time,
	}, nil
}
