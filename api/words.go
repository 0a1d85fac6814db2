package api

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// Many counts things in English: "1 session", "3 sessions".
func Many[N int | int64](n N, noun string) string { return domain.Many(n, noun) }

// ApprovalTitle summarises an approval in one line, in English.
func ApprovalTitle(a *Approval) string { return a.Kind.Title(len(a.Actions)).EN }

// The words of the contract that a program which talks to the server compares with. They
// are the domain's own, as the types of answers are.

// AskUser is the command by which the AI asks a person.
const AskUser = domain.AskUser

// Kinds of session and of approval.
const (
	TypeChat = domain.Chat

	ApprovalActions     = domain.ApprovalActions
	ApprovalQuestion    = domain.ApprovalQuestion
	ApprovalBudget      = domain.ApprovalBudget
	ApprovalCompletion  = domain.ApprovalCompletion
	ApprovalOutcome     = domain.ApprovalOutcome
	ApprovalReconnect   = domain.ApprovalReconnect
	ApprovalClientCalls = domain.ApprovalClientCalls
)

// States of sessions, and outcomes of runs.
const (
	StatusIdle    = domain.StatusIdle
	StatusQueued  = domain.StatusQueued
	StatusRunning = domain.StatusRunning
	StatusEnded   = domain.StatusEnded

	ExecutingEnrichments       = domain.ExecutingEnrichments
	CompactingContext          = domain.CompactingContext
	CallingAI                  = domain.CallingAI
	ExecutingDataQueries       = domain.ExecutingDataQueries
	ExecutingActions           = domain.ExecutingActions
	WaitingExternalResult      = domain.WaitingExternalResult
	WaitingNetworkRetry        = domain.WaitingNetworkRetry
	RetryingAfterFormatError   = domain.RetryingAfterFormatError
	RetryingAfterActionFailure = domain.RetryingAfterActionFailure

	EndCompleted = domain.EndCompleted
)

// Parts of the record.
const (
	InvalidFormatText = domain.InvalidFormatText

	SystemNetworkError           = domain.SystemNetworkError
	SystemLimitReached           = domain.SystemLimitReached
	SystemSessionTimeout         = domain.SystemSessionTimeout
	SystemValidationCancelled    = domain.SystemValidationCancelled
	SystemCommunicationCancelled = domain.SystemCommunicationCancelled
	SystemContextSummary         = domain.SystemContextSummary

	ExecSuccess   = domain.ExecSuccess
	ExecFailed    = domain.ExecFailed
	ExecCancelled = domain.ExecCancelled
	ExecCached    = domain.ExecCached
	ExecPending   = domain.ExecPending
	ExecUnknown   = domain.ExecUnknown
)

// Visible escapes the invisible characters of a text that a person approves.
func Visible(text string) string { return visible.Text(text) }

// Printable escapes control characters of a text for a terminal.
func Printable(text string) string { return visible.Printable(text) }
