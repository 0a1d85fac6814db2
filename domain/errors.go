package domain

import (
	"errors"
	"fmt"
	"slices"
)

// Code is the stable, machine-readable name of an error. One table in package
// handlers maps each to an HTTP status; the same names are sent to clients.
type Code string

// Codes that more than one package uses. Packages may have others of their own.
const (
	CodeInternal           Code = "internal"
	CodeInvalid            Code = "invalid"             // readable but wrong: 422, with FieldErrors
	CodeNotFound           Code = "not_found"           // unknown, or of another workspace
	CodeConflict           Code = "conflict"            // exists already
	CodeWrongPhase         Code = "wrong_phase"         // the session's phase does not take this event
	CodeWrongSessionType   Code = "wrong_session_type"  // e.g. a user message to an AUTOMATION
	CodeSessionEnded       Code = "session_ended"       // COMPLETED; for a CHAT, resume reopens it
	CodeSessionBusy        Code = "session_busy"        // if_busy=reject, or deletion of a working session
	CodeSeedNeverRuns      Code = "seed_never_runs"     // a SEED is edited, never run
	CodeSeedOfAutomation   Code = "seed_of_automation"  // a SEED is deleted with its automation, not otherwise
	CodeValidationResolved Code = "validation_resolved" // answered already, with another decision
	CodeValidationStale    Code = "validation_stale"    // a record changed since it was shown
	CodeApprovalExpired    Code = "approval_expired"
	CodePasskeyRequired    Code = "passkey_required"     // an approval that must be signed; with Passkey
	CodePasskeyRefused     Code = "passkey_refused"      // what was signed is not what has to be
	CodePushOff            Code = "push_unavailable"     // the server lacks what pushes need
	CodePasskeysOff        Code = "passkeys_unavailable" // the server has no name that they could be bound to
	CodeNotEmpty           Code = "not_empty"            // deleting something that holds something, without force
	CodeTooLarge           Code = "too_large"            // more than is taken at once
	CodeRestoreExpired     Code = "restore_expired"      // deleted too long ago to be undone
	CodeParentDeleted      Code = "parent_deleted"       // what held it is deleted too
	CodeTypeInUse          Code = "tool_type_in_use"     // deleting a tool type that tools have
	CodeTypeMisfit         Code = "tool_type_misfit"     // what is stored does not fit the tool type's schemas
	CodeMessagePlaced      Code = "message_placed"       // only a message that waits its turn can be changed
	CodeNothingToRetry     Code = "nothing_to_retry"     // the record has no round of its own
	CodeRoundHasEffects    Code = "round_has_effects"    // its changes stay; with Executions
	CodeNotLastRound       Code = "not_last_round"       // only answers of the last round are chosen
	CodeSlotTaken          Code = "slot_taken"
	CodeQueueFull          Code = "queue_full"
	CodeTooMany            Code = "too_many"                  // the workspace has as many of the noun as may be
	CodeTooManyKeys        Code = "too_many_idempotency_keys" // of one credential, their answers kept
	CodeAutomationDisabled Code = "automation_disabled"       // an event came for a disabled automation
	CodeConditionNotMet    Code = "condition_not_met"         // the trigger waits for another event
	CodeTaskOver           Code = "task_over"                 // it has ended, and otherwise
	CodeSignInOver         Code = "sign_in_over"              // not begun here, too long ago, or finished before
	CodeSignInFailed       Code = "sign_in_failed"            // the server outside, or the person there, does not want it
	CodeFirstKey           Code = "first_key"                 // the first key must be one that can make others
	CodeLastAdminKey       Code = "last_admin_key"            // no key could be made without it
	CodeCrossOrigin        Code = "cross_origin"              // a web page of another origin
	CodeForbidden          Code = "forbidden"
	CodePersonBlocked      Code = "person_blocked"   // by an admin
	CodePersonProtected    Code = "person_protected" // cannot be blocked or erased
	CodeMayNotActFor       Code = "may_not_act_for"  // the key is its own person
	CodeUnauthenticated    Code = "unauthenticated"
	CodeNoIssuer           Code = "no_issuer"          // no OpenID Connect sign-in is configured
	CodeIssuerUnavailable  Code = "issuer_unavailable" // it does not answer, or not as an issuer does
	CodeSignInLost         Code = "sign_in_lost"       // begun in another browser, too long ago, or ended before
	CodeSignInRefused      Code = "sign_in_refused"    // by the issuer
	CodeTokenInvalid       Code = "token_invalid"      // it is not the issuer's, or not for this server
	CodeTokenExpired       Code = "token_expired"
	CodeTokenEarly         Code = "token_not_yet_valid"
	CodeNotAdmitted        Code = "not_admitted"        // the issuer knows the person, who has no access here
	CodePreconditionFailed Code = "precondition_failed" // it is not the version that its author saw
	CodeUnavailable        Code = "unavailable"         // no database, or draining
	CodeDatabaseBusy       Code = "db_busy"
	CodeStorageFull        Code = "storage_full"
	CodeProviderFailed     Code = "provider_failed"
	CodeAnswerSchema       Code = "answer_schema"           // the AI's answer does not satisfy the schema that was asked for
	CodeProviderMissing    Code = "provider_missing"        // the one of a session was deleted
	CodeProviderKey        Code = "provider_key_unreadable" // sealed with another secret key, or for another place
	CodeBudgetUsedUp       Code = "budget_used_up"          // by the workspace's calls; no approval raises it
	CodeOutcomeUnknown     Code = "outcome_unknown"         // the commit's fate could not be read back
)

// WriteOutcome is the outcome of a client's write.
type WriteOutcome string

const (
	NotApplied     WriteOutcome = "not_applied"
	Applied        WriteOutcome = "applied"
	OutcomeUnknown WriteOutcome = "unknown"
)

// FieldError points at one wrong value: Pointer is a JSON pointer into the request
// or the command's params ("/data/value").
type FieldError struct {
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error is the error type that carries meaning across packages. Message says what happened, what was kept
// and what to do; it is safe to show.
type Error struct {
	Code    Code
	Message string
	Fields  []FieldError
	// Outcome of the write; empty means not applied.
	Outcome WriteOutcome
	// Session, where the error is about one: its phase and status go into the problem.
	Session *Session
	// Decision is the recorded decision of an approval that was settled already.
	Decision string
	// Passkey is what has to be signed, for passkey_required.
	Passkey *PasskeyRequest
	// Executions are what round_has_effects is about.
	Executions []*Execution
	// Err is the cause, for the log only.
	Err error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid makes the 422 error for one field.
func Invalid(pointer, code, format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	return &Error{Code: CodeInvalid, Message: message, Fields: []FieldError{{Pointer: pointer, Code: code, Message: message}}}
}

// Below prefixes the pointers of an error, for a value inside a larger request. Other errors are returned
// unchanged.
func Below(prefix string, err error) error {
	return MovePointers(err, func(pointer string) string { return prefix + pointer })
}

// MovePointers is Below for any move.
func MovePointers(err error, move func(pointer string) string) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	moved := *e
	moved.Fields = slices.Clone(e.Fields)
	for i := range moved.Fields {
		moved.Fields[i].Pointer = move(moved.Fields[i].Pointer)
	}
	return &moved
}

// NotFound makes the 404 error; it is the same for an unknown id and for an id of
// another workspace, so that ids of others cannot be probed.
func NotFound(noun string) *Error {
	return Errorf(CodeNotFound, "There is no such %s in this workspace.", noun)
}

// ChangedSince is the error for a change of something that is no longer what its author
// saw.
func ChangedSince(noun string) *Error {
	return Errorf(CodePreconditionFailed, "The %s changed since you read it. Nothing was written; read it again.", noun)
}

// ErrorCode is the code of err: that of the Error in its chain, or CodeInternal.
func ErrorCode(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// ErrInboxBrief is returned by a decision that needs the text of waiting messages (View.InboxBrief): it is
// repeated with them.
var ErrInboxBrief = errors.New("the decision needs what the waiting messages say")

// ErrStale is returned by a commit whose guard (version, epoch) no longer holds: another writer was first.
// Reload and decide again.
var ErrStale = errors.New("stale: the session moved on")
