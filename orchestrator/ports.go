package orchestrator

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/providers"
)

// Store is the loop's part of the database. A commit on an outdated state returns domain.ErrStale.
type Store interface {
	View(ctx context.Context, workspace, session string) (*domain.View, error)
	Commit(ctx context.Context, change *domain.Change) error
	// Act runs act in one transaction under the session's lock, with the user's data,
	// and writes the change it returns: data, outcome and transition together.
	Act(ctx context.Context, workspace, session string, act ActFunc) (*domain.Change, error)
	Records
}

// Records reads what a session has said and done.
type Records interface {
	// Record is all of a session's messages, with those that its record begins with.
	Record(ctx context.Context, session *domain.Session) ([]*domain.Message, error)
	Message(ctx context.Context, workspace, session, id string) (*domain.Message, error)
	// HeldAnswer is the answer of a session that was stored because it needed the slot to be acted on.
	HeldAnswer(ctx context.Context, workspace, session string) (*domain.HeldAnswer, error)
	// UnsettledCommands are the ids (domain.Execution.CommandID) of the workspace's actions that were sent
	// and have an unknown outcome.
	UnsettledCommands(ctx context.Context, workspace string) ([]string, error)
	// RecentExecutions are those of a session that ended at since or later.
	RecentExecutions(ctx context.Context, workspace, session string, since time.Time) ([]*domain.Execution, error)
}

// Outside lists and calls the commands of other servers. Errors of Call and Probe are
// *outside.Error; any other means an unknown outcome.
type Outside interface {
	// Offers are the commands currently offered to the workspace, with their prefix, in a stable order,
	// each with another name on the wire (CommandSpec.WireName). It is called for every AI call, so it must
	// answer from memory.
	Offers(ctx context.Context, workspace string) ([]domain.CommandSpec, error)
	// Call sends one call, once. It ends with its context.
	Call(ctx context.Context, call outside.Call) (outside.Result, error)
	// Probe queries the outcome of an earlier call; outside.ErrNoProbe if the command has no probe.
	Probe(ctx context.Context, call outside.Call) (done bool, result outside.Result, err error)
}

// ActFunc is what happens inside Act's transaction. A nil change writes nothing.
type ActFunc func(ctx context.Context, view *domain.View, data ActData) (*domain.Change, error)

// ActData is the user's data within a transaction, with savepoints.
type ActData interface {
	commands.Data
	Savepoint(ctx context.Context, fn func() error) error
}

// DataReader reads the committed data of a workspace, outside any transaction.
type DataReader func(workspace string) commands.Data

// Streams carries text to those who watch while it is made. Nothing of it is stored.
type Streams interface {
	Watched(session string) bool
	Delta(workspace, session, message, kind, text string)
	// Discard marks the streamed text as discarded; Settle as stored in a message.
	Discard(workspace, session, message, reason string)
	Settle(session, message string)
}

// Models finds the provider of a session: its own, else the workspace's default,
// else the demo.
type Models interface {
	For(ctx context.Context, workspace, provider string) (*providers.Model, error)
	// Known is the same from memory alone; nil when it was not needed before.
	Known(workspace, provider string) *providers.Model
}

// Commands is the catalogue as the loop uses it.
type Commands interface {
	Offer(env *commands.Env) definitions.Offer
	Plan(
		ctx context.Context,
		data commands.Data,
		env commands.Env,
		messageID string,
		raw *domain.RawAnswer,
		answer *domain.AIMessage,
		recent []*domain.Execution,
	) (commands.Plan, error)
	Replan(
		ctx context.Context,
		data commands.Data,
		env commands.Env,
		actions []*domain.Execution,
		aiAsked bool,
	) (domain.PlannedCommands, error)
	PlanEnrichments(env commands.Env, message *domain.Message) []*domain.Execution
	// RunQueries needs call for the queries that other servers answer.
	RunQueries(
		ctx context.Context,
		data commands.Data,
		call commands.Caller,
		env commands.Env,
		queries []*domain.Execution,
	) commands.QueryOutcome
	// RunActions stops before the next action that another server carries out, Send sends it.
	Send(ctx context.Context, call commands.Caller, env commands.Env, e *domain.Execution) commands.Sent
	RunActions(
		ctx context.Context,
		data commands.Data,
		env commands.Env,
		actions []*domain.Execution,
		savepoint func(context.Context, func() error) error,
	) (commands.ActionOutcome, error)
}

// Observer counts what happens, for the metrics. Its methods must be quick.
type Observer interface {
	// PhaseLeft reports the time that the session spent in a phase; RoundEnded the calls and the duration
	// of a round, when its session rests or waits.
	PhaseLeft(phase domain.Phase, after time.Duration)
	RoundEnded(roundtrips int, took time.Duration)
	providers.CallObserver
	// PrefixReused reports the share of a prompt that is the beginning of the session's prompt before.
	PrefixReused(provider string, ratio float64)
	Executed(e *domain.Execution)
	Fenced()
}
