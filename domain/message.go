package domain

import (
	"encoding/json"
	"strings"
	"time"
)

// Sender is who wrote a message.
type Sender string

const (
	SenderUser   Sender = "USER"
	SenderAI     Sender = "AI"
	SenderSystem Sender = "SYSTEM"
)

// MessageStatus is stored for a message in its place, queued for one that waits
// its turn, interrupted for the part of an answer that a person cut or that broke off.
type MessageStatus string

const (
	MessageStored      MessageStatus = "stored"
	MessageQueued      MessageStatus = "queued"
	MessageInterrupted MessageStatus = "interrupted"
	// MessageSuperseded is the status that clients see of a Superseded message.
	MessageSuperseded MessageStatus = "superseded"
)

// IfBusy is how a user message is handled when the session is at work.
type IfBusy string

const (
	IfBusyEnqueue   IfBusy = "enqueue"
	IfBusySteer     IfBusy = "steer"
	IfBusyInterrupt IfBusy = "interrupt"
	IfBusyReject    IfBusy = "reject"
)

// Message is a stored message. The variants differ in which part is set. A placed message (Seq > 0) is
// never changed; only a wait's cancel message is deleted.
type Message struct {
	ID          string
	WorkspaceID string
	SessionID   string
	RoundID     string
	// RetryOf is the round that answered the same question first; "": this one is the first.
	RetryOf string
	// Superseded: another answer, or other words, took its place. It is shown, and not sent.
	Superseded bool
	// Seq orders the messages of a session: the workspace's number of the event that
	// put the message in its place. 0 while it is queued.
	Seq       int64
	Timestamp time.Time
	Sender    Sender
	Status    MessageStatus
	// SenderID is which person or key sent it, SenderName and SenderRole what they were
	// called and might do then.
	SenderID   string
	SenderName string
	SenderRole Role
	// Payer is who pays for its round, as named by the client; "": not named.
	Payer string
	// Tools are those of the program that sent it, and the format of the answer; nil: none.
	Tools *ClientTools

	Rich   *RichContent       // USER
	Text   string             // text_content: a module's answer, a comment, a post text
	AI     *AIMessage         // AI, parsed for display
	Raw    *RawAnswer         // AI, exactly what the model answered
	System *SystemMessage     // SYSTEM
	Run    *ExecutionMetadata // AUTOMATION only

	// AnswersCall is the id of the ASK_USER call that this USER message answers, so
	// that native histories pair every call with a result.
	AnswersCall       string
	ExcludeFromPrompt bool
}

// ShownStatus is the status for clients.
func (m *Message) ShownStatus() MessageStatus {
	if m.Superseded {
		return MessageSuperseded
	}
	return m.Status
}

// By is who sent the message.
func (m *Message) By() Author { return Author{ID: m.SenderID, Name: m.SenderName, Role: m.SenderRole} }

// SetBy notes who sent the message.
func (m *Message) SetBy(a Author) { m.SenderID, m.SenderName, m.SenderRole = a.ID, a.Name, a.Role }

// RichContent is a user's message: segments, and what the server computed of them.
type RichContent struct {
	Segments   []Segment `json:"segments"`
	LinearText string    `json:"linear_text,omitempty"`
	Commands   []Command `json:"commands,omitempty"` // the enrichments' queries
}

// Bytes is about how long it is, as it is stored.
func (r *RichContent) Bytes() int {
	sum := len(r.LinearText)
	for i := range r.Segments {
		sum += len(r.Segments[i].Text)
		if e := r.Segments[i].Enrichment; e != nil {
			sum += len(e.Config) + len(e.Summary)
		}
	}
	return sum
}

// Words is the whole in words. Events leave LinearText out where one segment has all of it.
func (r *RichContent) Words() string {
	if r.LinearText == "" && len(r.Segments) == 1 {
		return r.Segments[0].Text
	}
	return r.LinearText
}

// What a segment is.
const (
	SegmentText       = "text"
	SegmentEnrichment = "enrichment"
	SegmentFile       = "file"
)

// Segment is text, an enrichment, or a file.
type Segment struct {
	Type       string      `json:"type"` // "text", "enrichment" or "file"
	Text       string      `json:"text,omitempty"`
	Enrichment *Enrichment `json:"enrichment,omitempty"`
	File       *FileRef    `json:"file,omitempty"`
	// From is the source of the text; nil: the person who sent the message.
	From *Provenance `json:"from,omitempty"`
}

// EnrichmentType is one of the four kinds of blocks that refer to data.
type EnrichmentType string

const (
	EnrichPointer      EnrichmentType = "POINTER"
	EnrichUse          EnrichmentType = "USE"
	EnrichCreate       EnrichmentType = "CREATE"
	EnrichModifyConfig EnrichmentType = "MODIFY_CONFIG"
)

// CutByPerson reports whether a person cut the answer; one that broke off has its own reason.
func (m *Message) CutByPerson() bool {
	return m.Status == MessageInterrupted && (m.AI == nil || m.AI.StopReason == "")
}

// Enrichment is a block in a user message that refers to data.
type Enrichment struct {
	Type    EnrichmentType  `json:"type"`
	Config  json.RawMessage `json:"config"`
	Summary string          `json:"summary,omitempty"` // one line in words, computed
}

// AIMessage is an answer of the model, parsed: the same for both protocols.
type AIMessage struct {
	PreText string `json:"pre_text"`
	// StopReason is why the answer is incomplete (see RawAnswer.Partial); "" if it is complete.
	StopReason        string    `json:"stop_reason,omitempty"`
	ValidationRequest bool      `json:"validation_request,omitempty"`
	DataCommands      []Command `json:"data_commands,omitempty"`
	ActionCommands    []Command `json:"action_commands,omitempty"`
	PostText          string    `json:"post_text,omitempty"`
	KeepControl       bool      `json:"keep_control,omitempty"`
	Module            *Module   `json:"communication_module,omitempty"`
	Completed         bool      `json:"completed,omitempty"`
	// Report is the final report of a run or an agent, if it is not PreText, which precedes it.
	Report string `json:"report,omitempty"`
	// ClientCalls are calls of tools of the program that sent the message.
	ClientCalls []ClientCall `json:"client_calls,omitempty"`
	// Unread are the late results before the answer in the record that arrived while it was written: it was
	// made without them.
	Unread []string `json:"unread,omitempty"`
	// From is set if no model answered here: a client reported an earlier answer.
	From *Provenance `json:"from,omitempty"`
}

// FinalText is the final text of the answer.
func (a *AIMessage) FinalText() string {
	for _, text := range []string{a.Report, a.PostText, a.PreText} {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// InvalidFormatText is the pre_text of an AI message whose answer could not be parsed.
const InvalidFormatText = "ai_response_invalid_format"

// Protocol is how the model answers: native calls, or one JSON object.
type Protocol string

const (
	ProtocolNative Protocol = "native"
	ProtocolJSON   Protocol = "json"
)

// RawAnswer is exactly what the model answered; it goes back into the prompt byte
// for byte, so arguments are kept as text.
type RawAnswer struct {
	Protocol Protocol   `json:"protocol"`
	Text     string     `json:"text,omitempty"`
	Calls    []RawCall  `json:"calls,omitempty"`
	Thinking []Thinking `json:"thinking,omitempty"`
	// StopReason is the provider's, in Fermata's words (see StopWhole and the others).
	StopReason string `json:"stop_reason,omitempty"`
	// StopDetail is the provider's own reason, where it is more specific.
	StopDetail string `json:"stop_detail,omitempty"`
	// CutAt is the number of tokens of an answer that reached a limit, CutLimit the requested limit; 0:
	// unknown.
	CutAt    int `json:"cut_at,omitempty"`
	CutLimit int `json:"cut_limit,omitempty"`
	// CutCalls are the names of the calls that stood in an answer which did not come to its
	// end. They are not among Calls, and none of them was run.
	CutCalls []string `json:"cut_calls,omitempty"`
	Model    string   `json:"model,omitempty"`
	Provider string   `json:"provider,omitempty"` // kind, for sending Thinking back only where it came from
	// Origin is the same for answers of one model at one address, which it does not show. What
	// only that model reads (Thinking.Data, RawCall.Extra) goes back to no other.
	Origin string `json:"origin,omitempty"`
	// PromptFiles are the files that stood in the prompt which it answers, the newest first;
	// OlderPromptFiles is how many more there were.
	PromptFiles      []PromptFile `json:"prompt_files,omitempty"`
	OlderPromptFiles int          `json:"older_prompt_files,omitempty"`
}

// Bytes is how long it is: its text, thoughts and arguments.
func (r *RawAnswer) Bytes() int {
	sum := len(r.Text)
	for i := range r.Calls {
		sum += len(r.Calls[i].Name) + len(r.Calls[i].Arguments) + len(r.Calls[i].Extra)
	}
	for i := range r.Thinking {
		sum += len(r.Thinking[i].Text)
	}
	return sum
}

// Why an answer ended.
const (
	StopWhole     = "stop"           // the answer is complete
	StopCalls     = "calls"          // it waits for the results of its calls
	StopLength    = "length"         // cut at a limit of tokens
	StopRefused   = "refused"        // the model declined, and said so
	StopFiltered  = "content_filter" // the provider's filter cut it
	StopBrokenOff = "broken_off"     // the call failed in the middle
	StopMalformed = "malformed"      // the provider could not read the model's call
	StopUnknown   = "unknown"        // the provider gave a reason that means nothing to this server
)

// Partial reports whether an answer is incomplete.
func (r *RawAnswer) Partial() bool {
	switch r.StopReason {
	case StopLength, StopFiltered, StopBrokenOff, StopMalformed, StopUnknown:
		return true
	}
	return false
}

// RawCall is one native call. ID is the server's own; ProviderID is the model's, for
// the echo only (models omit, repeat and re-use ids).
type RawCall struct {
	ID         string `json:"id"`
	ProviderID string `json:"provider_id,omitempty"`
	Name       string `json:"name"`
	Arguments  string `json:"arguments"`
	Signature  string `json:"signature,omitempty"` // a provider's thought signature
	// Extra are further members of the call, as they came: a JSON object. Its "function" holds
	// those of the function.
	Extra string `json:"extra,omitempty"`
}

// Thinking is a block of a model's thoughts, shown folded and sent back where the
// API demands it. Data is the provider's own form, untouched.
type Thinking struct {
	Text string `json:"text,omitempty"`
	Data string `json:"data,omitempty"`
}

// SystemType names what a SYSTEM message reports.
type SystemType string

const (
	SystemDataAdded              SystemType = "DATA_ADDED"
	SystemActionsExecuted        SystemType = "ACTIONS_EXECUTED"
	SystemLimitReached           SystemType = "LIMIT_REACHED"
	SystemFormatError            SystemType = "FORMAT_ERROR"
	SystemValidationCancelled    SystemType = "VALIDATION_CANCELLED"
	SystemCommunicationCancelled SystemType = "COMMUNICATION_CANCELLED"
	SystemExternalResult         SystemType = "EXTERNAL_RESULT"
	SystemContextSummary         SystemType = "CONTEXT_SUMMARY"
	SystemGuidance               SystemType = "GUIDANCE"
	SystemForked                 SystemType = "FORKED"
	SystemNetworkError           SystemType = "NETWORK_ERROR"   // never in the prompt
	SystemSessionTimeout         SystemType = "SESSION_TIMEOUT" // never in the prompt
)

// InPrompt reports whether messages of this type are sent to the AI.
func (t SystemType) InPrompt() bool { return t != SystemNetworkError && t != SystemSessionTimeout }

// SystemMessage reports what the server did.
type SystemMessage struct {
	Type           SystemType      `json:"type"`
	Summary        string          `json:"summary"`
	CommandResults []CommandResult `json:"command_results,omitempty"`
	FormattedData  string          `json:"formatted_data,omitempty"`
	// Translations are the summary for people who read another language.
	Translations Translations `json:"translations,omitempty"`

	// What follows is of NETWORK_ERROR. Detail is what the provider said, RetryAt from when it
	// may be called again.
	Code       FailureCode `json:"code,omitempty"`
	Detail     string      `json:"detail,omitempty"`
	RetryAt    *time.Time  `json:"retry_at,omitempty"`
	ProviderID string      `json:"provider_id,omitempty"`
	// Unread are, of a CONTEXT_SUMMARY, the late results before it that it was made without.
	Unread []string `json:"unread,omitempty"`
}

// Unread are the late results before the message in the record and after it in the prompt: it was made
// without them.
func (m *Message) Unread() []string {
	switch {
	case m.AI != nil:
		return m.AI.Unread
	case m.System != nil:
		return m.System.Unread
	}
	return nil
}

// ExecutionMetadata is the feedback on an automation's run.
type ExecutionMetadata struct {
	AutomationID string     `json:"automation_id"`
	Trigger      string     `json:"trigger"`
	ScheduledAt  *time.Time `json:"scheduled_at,omitempty"`
	DurationMS   int64      `json:"duration_ms"`
	Tokens       int64      `json:"tokens"`
	Cost         *float64   `json:"cost,omitempty"`
}

// Module is a communication module: a question from the AI to the person.
type Module struct {
	Type string          `json:"type"` // MultipleChoice, Validation, Text, Form, Plan
	Data json.RawMessage `json:"data"`
}
