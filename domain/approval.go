package domain

import (
	"encoding/json"
	"time"
)

// ApprovalKind is the kind of decision that is requested.
type ApprovalKind string

const (
	ApprovalActions    ApprovalKind = "actions"
	ApprovalQuestion   ApprovalKind = "question"
	ApprovalBudget     ApprovalKind = "budget"
	ApprovalCompletion ApprovalKind = "completion"
	ApprovalOutcome    ApprovalKind = "outcome"
	ApprovalPoisoned   ApprovalKind = "poisoned"
	// ApprovalReconnect requests a sign-in to a connector, for which a call waits.
	ApprovalReconnect ApprovalKind = "reconnect"
	// ApprovalClientCalls requests the results of the sending program's own tools, one for each of Actions.
	// A person can only cancel it.
	ApprovalClientCalls ApprovalKind = "client_calls"
)

// ApprovalStatus is how an approval was settled.
type ApprovalStatus string

const (
	ApprovalStatusOpen        ApprovalStatus = "open"
	ApprovalStatusApproved    ApprovalStatus = "approved"
	ApprovalStatusRefused     ApprovalStatus = "refused"
	ApprovalStatusExpired     ApprovalStatus = "expired"
	ApprovalStatusSuperseded  ApprovalStatus = "superseded"
	ApprovalStatusEvicted     ApprovalStatus = "evicted"
	ApprovalStatusStale       ApprovalStatus = "stale"
	ApprovalStatusStopped     ApprovalStatus = "stopped"
	ApprovalStatusInterrupted ApprovalStatus = "interrupted"
)

// ValidationLevel is where a demand for validation comes from.
type ValidationLevel string

const (
	LevelWorkspace ValidationLevel = "workspace"
	LevelZone      ValidationLevel = "zone"
	LevelTool      ValidationLevel = "tool"
	LevelSession   ValidationLevel = "session"
	LevelAI        ValidationLevel = "ai"
	LevelCommand   ValidationLevel = "command"
	// LevelOutside: the session had read external content before the action was requested. No policy and no
	// grant covers it.
	LevelOutside ValidationLevel = "outside"
	// LevelConnector: the server of a connector asks (ID is the connector's).
	LevelConnector ValidationLevel = "connector"
)

// ApprovalReason is one reason why an approval is required.
type ApprovalReason struct {
	Level ValidationLevel `json:"level"`
	ID    string          `json:"id,omitempty"` // of the zone, tool or session
	Text  string          `json:"text"`
	// Translations are the text for people who read another language.
	Translations Translations `json:"translations,omitempty"`
	// Always: neither a run's policy nor a grant can replace this approval.
	Always bool `json:"always,omitempty"`
}

// ApprovalAction is one action on the card: made from the command and its params,
// never from the model's own words. ID is its execution's.
type ApprovalAction struct {
	ID       string          `json:"id"`
	Command  string          `json:"command"`
	Params   json.RawMessage `json:"params"`
	Text     string          `json:"text"`
	Before   json.RawMessage `json:"before,omitempty"`
	After    json.RawMessage `json:"after,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	// Translations are Text and Warnings for people who read another language.
	Translations map[string]ActionWords `json:"translations,omitempty"`
	// Digest binds command, record version and exact params: what runs is what was
	// shown.
	Digest string `json:"digest"`
	// Role is the least role that may approve it: the one that its command needs.
	Role Role `json:"role,omitempty"`
	// Sensitive actions are approved with a passkey.
	Sensitive bool `json:"sensitive,omitempty"`
	// GrantID is the grant that covers it: it waits because of others.
	GrantID string `json:"grant_id,omitempty"`
}

// ActionWords are an action's texts in one language: After, where it holds words of the server.
type ActionWords struct {
	Text     string          `json:"text"`
	Warnings []string        `json:"warnings,omitempty"`
	After    json.RawMessage `json:"after,omitempty"`
}

// Approval is a question to a person, kept as a row with its answer.
type Approval struct {
	ID              string
	WorkspaceID     string
	SessionID       string
	RoundID         string
	Kind            ApprovalKind
	Status          ApprovalStatus
	Reasons         []ApprovalReason
	Actions         []ApprovalAction
	Module          *Module
	Budget          *BudgetQuestion // of kind budget
	ResponseSchema  json.RawMessage
	CancelMessageID string
	LinkEpoch       int64        // how often the links to it were withdrawn
	Text            string       // the question in words (budget, completion, poisoned)
	Translations    Translations // of Text
	ExpiresAt       *time.Time
	OnExpiry        string // "deny" or "keep"
	CreatedAt       time.Time
	SettledBy       string
	SettledAt       *time.Time
	// Decision is the recorded answer in canonical form: the same answer again gets the same reply, a
	// different one a 409.
	Decision json.RawMessage
	// Evidence is what the person signed (a PasskeyEvidence); empty: nothing had to be.
	Evidence json.RawMessage
}

// ApprovalFilter chooses approvals of a workspace; empty fields choose all.
type ApprovalFilter struct {
	Status    ApprovalStatus
	SessionID string
	Kind      ApprovalKind
	Cursor    string
	Limit     int
}

// What a person can report about an action with an unknown outcome (Decision.Outcome).
const (
	OutcomeHappened = "happened"
	OutcomeDidNot   = "did_not"
	OutcomeRunAgain = "run_again"
)

// Decision is a person's answer to an approval. Which fields are read depends on
// the approval's kind.
type Decision struct {
	ApprovalID  string                     `json:"-"`
	Approved    bool                       `json:"approved"`
	ApprovedIDs []string                   `json:"approved_ids,omitempty"`
	Edits       map[string]json.RawMessage `json:"edits,omitempty"`
	Comment     string                     `json:"comment,omitempty"`
	Value       json.RawMessage            `json:"value,omitempty"`     // question
	Cancelled   bool                       `json:"cancelled,omitempty"` // question
	Limit       *float64                   `json:"limit,omitempty"`     // budget
	Outcome     string                     `json:"outcome,omitempty"`   // outcome
	// Results are of client_calls, one for each call. Only doors fill them, for the program.
	Results []ClientResult `json:"results,omitempty"`
	// Request is the calling program's description of the request that delivered them, as JSON; "" if it is
	// not read again. It does not distinguish answers with the same results.
	Request string `json:"-"`
	By      Author `json:"-"`
	// Passkey is the person's signature. It is not part of the answer, so the same answer again gets the
	// same reply.
	Passkey *PasskeyAnswer `json:"-"`
}
