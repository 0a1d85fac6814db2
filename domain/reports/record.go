package reports

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// RecordKind is the kind of a line of a session's timeline.
type RecordKind string

const (
	RecordTransition RecordKind = "transition"
	RecordRoundtrip  RecordKind = "roundtrip"
	RecordExecution  RecordKind = "execution"
)

// RecordKinds are all of them, in the order of lines of the same instant.
var RecordKinds = []RecordKind{RecordTransition, RecordRoundtrip, RecordExecution}

// RecordLine is one line of a timeline; Kind selects which of the three is set. At is when it began.
type RecordLine struct {
	Kind RecordKind
	At   time.Time

	Transition *domain.Transition
	Roundtrip  *domain.Roundtrip
	Execution  *domain.Execution
	// Cut names the parts of the execution that are too long for a timeline and were left
	// out: params, result, text.
	Cut []string
}

// TimelineFilter picks a page of a timeline.
type TimelineFilter struct {
	RoundID string       // "": every round
	Kinds   []RecordKind // none: all of them
	Whole   bool         // executions with all of their params and result
	Limit   int
	Cursor  string
}

// Wants reports whether lines of this kind are requested.
func (f *TimelineFilter) Wants(kind RecordKind) bool {
	return len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind)
}

// UsageGroup is what the use of AI is summed by.
type UsageGroup string

const (
	UsageByDay        UsageGroup = "day"
	UsageByModel      UsageGroup = "model"
	UsageByProvider   UsageGroup = "provider"
	UsageBySession    UsageGroup = "session"
	UsageByAutomation UsageGroup = "automation"
	UsageByPurpose    UsageGroup = "purpose"
	UsageByType       UsageGroup = "type"
	UsageByUser       UsageGroup = "user" // who pays, as clients name them
)

// UsageGroups are all of them.
var UsageGroups = []UsageGroup{
	UsageByDay, UsageByModel, UsageByProvider, UsageBySession, UsageByAutomation, UsageByPurpose, UsageByType, UsageByUser,
}

// UsageFilter asks for sums of calls of the AI that ended at Since or later and before
// Until. Zero times: no bound.
type UsageFilter struct {
	GroupBy   UsageGroup
	Since     time.Time
	Until     time.Time
	SessionID string // "": every session
	Limit     int
	Cursor    string
}

// UsageRow sums the calls of one group. Key is "" for what belongs to none: the calls
// of the built-in demo have no provider, those of a CHAT no automation. Label names the
// key for people, where it has a name.
type UsageRow struct {
	Key    string
	Label  string
	Calls  int64
	Errors int64 // without an answer; deliberately cancelled calls do not count
	// Unpriced counts calls of models without a price, which the cost leaves out. Usage.Cost is nil when no
	// call has a price.
	Unpriced int64
	Usage    domain.Usage
	// PromptTokens are those of the prompts whose parts were measured, as they were estimated. Of them, PromptReused
	// were the beginning of the session's prompt before.
	PromptTokens, PromptReused int64
}
