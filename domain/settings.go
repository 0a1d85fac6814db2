package domain

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"time"
)

// Duration is a time.Duration that is written as a string like "5m" or "1h30m".
type Duration time.Duration

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a duration is a string like \"5m\": %w", err)
	}
	if len(s) > 64 {
		return fmt.Errorf("a duration is a string like \"5m\" or \"1h30m\", not %d characters", len(s))
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("a duration is a string like \"5m\" or \"1h30m\", not %q", s)
	}
	*d = Duration(v)
	return nil
}

// protocolSettings are about the clients of other protocols.
type protocolSettings struct {
	// ChatSessionHeader is the header by which chat clients name their session, "": none.
	ChatSessionHeader string `json:"chat_session_header"`
	// ApproveByText: the next message "yes" or "no" of a chat client answers the open approval.
	ApproveByText bool `json:"approve_by_text"`
	// MCPAnswers lets MCP clients answer approvals and questions.
	MCPAnswers bool `json:"mcp_answers"`
}

// peopleSettings are about the people who share the workspace.
type peopleSettings struct {
	// ChatsVisible is the visibility of chats that are created without one.
	ChatsVisible Visibility `json:"chats_visible"`
}

// Settings of a workspace, with every value filled (defaults applied).
type Settings struct {
	Language             string `json:"language"`  // "en" or "fr"
	TimeZone             string `json:"time_zone"` // IANA name
	DayStartHour         int    `json:"day_start_hour"`
	WeekStartDay         string `json:"week_start_day"` // "monday" …
	RequireValidation    bool   `json:"require_validation"`
	AutomationValidation string `json:"automation_validation"` // park, refuse, allow
	ChatPreempts         bool   `json:"chat_preempts"`
	peopleSettings
	laneSettings
	// SensitiveCommands are the actions approved with a passkey, in the form of AllowsCommand.
	SensitiveCommands []string `json:"sensitive_commands"`
	protocolSettings
	ChatEvictionAfter           Duration     `json:"chat_eviction_after"`
	AutomationMaxWait           Duration     `json:"automation_max_wait"`
	CompletionConfirmationDelay Duration     `json:"completion_confirmation_delay"`
	MaxInactivity               Duration     `json:"max_inactivity"`
	MaxActiveDuration           Duration     `json:"max_active_duration"`
	MisfireGrace                Duration     `json:"misfire_grace"`
	NetworkRetry                NetworkRetry `json:"network_retry"`
	Relaunch                    string       `json:"relaunch"`      // with_commands, on_error_only
	AfterActions                string       `json:"after_actions"` // call, rest
	PromptDetail                string       `json:"prompt_detail"` // minimal, normal, full
	MaxCallsPerResponse         int          `json:"max_calls_per_response"`
	MaxQueueLength              int          `json:"max_queue_length"`
	FileBudget                  FileBudget   `json:"file_budget"`
	ApprovalExpiry              Duration     `json:"approval_expiry"`    // 0: never
	ApprovalOnExpiry            string       `json:"approval_on_expiry"` // deny, keep
	FallbackProviders           []string     `json:"fallback_providers"`
	// AllowedHosts are where requests out in the workspace's name may go, as egress.ParseHosts reads them.
	AllowedHosts []string `json:"allowed_hosts"`
	Commands     []string `json:"commands"` // from outside that may be offered: AllowsCommand
	Prices       Prices   `json:"prices"`   // before the built-in ones
	// PromptChunks changes chunks of level 1, by name.
	PromptChunks  map[string]ChunkChange `json:"prompt_chunks"`
	Limits        LimitSet               `json:"limits"`
	Notifications Notifications          `json:"notifications"`
}

// What a CHAT does once the actions of a native answer that had text have all succeeded:
// it calls the AI with the results, or rests with that text.
const (
	AfterActionsCall = "call"
	AfterActionsRest = "rest"
)

// NetworkRetry is the policy of an AUTOMATION whose provider cannot be reached. The last delay repeats.
type NetworkRetry struct {
	Policy string     `json:"policy"` // forever, requeue_after_3
	Delays []Duration `json:"delays"`
}

// LimitSet holds the limits of each kind of session.
type LimitSet struct {
	Chat       Limits `json:"chat"`
	Automation Limits `json:"automation"`
}

// Limits of chapter 2. Nil: none.
type Limits struct {
	MaxAutonomousRoundtrips *int     `json:"max_autonomous_roundtrips"`
	MaxDataQueryIterations  *int     `json:"max_data_query_iterations"`
	MaxActionRetries        *int     `json:"max_action_retries"`
	MaxFormatErrorRetries   *int     `json:"max_format_error_retries"`
	MaxCommandsPerSession   *int     `json:"max_commands_per_session"`
	MaxTokensPerRound       *int64   `json:"max_tokens_per_round"`
	MaxCostPerRound         *float64 `json:"max_cost_per_round"`
	MaxCostPerSession       *float64 `json:"max_cost_per_session"`
	MaxCostPerDay           *float64 `json:"max_cost_per_day"`
	MaxCostPerMonth         *float64 `json:"max_cost_per_month"`
	ContextBudgetTokens     *int     `json:"context_budget_tokens"`
}

// Strict tightens the first four limits, for a chat or for what runs by itself.
func (l *Limits) Strict(t SessionType) {
	roundtrips, tries := 20, 5
	if t == Chat {
		roundtrips, tries = 10, 3
	}
	l.MaxAutonomousRoundtrips = &roundtrips
	for _, limit := range []**int{&l.MaxDataQueryIterations, &l.MaxActionRetries, &l.MaxFormatErrorRetries} {
		own := tries
		*limit = &own
	}
}

// DefaultSettings are those of a new workspace (spec chapters 2, 3, 4, 11).
func DefaultSettings() Settings {
	limits := func(roundtrips *int) Limits {
		tokens, budget := int64(1_000_000), 80_000
		return Limits{MaxAutonomousRoundtrips: roundtrips, MaxTokensPerRound: &tokens, ContextBudgetTokens: &budget}
	}
	twenty := 20
	return Settings{
		Language: "en", TimeZone: "UTC", WeekStartDay: "monday",
		AutomationValidation: "park", ChatPreempts: true, peopleSettings: peopleSettings{ChatsVisible: VisibleWorkspace},
		laneSettings:                laneSettings{Lanes: lanesOfPeople, AutomationsAtOnce: 1, MaxCallsAside: 8},
		ChatEvictionAfter:           Duration(5 * time.Minute),
		AutomationMaxWait:           Duration(time.Hour),
		CompletionConfirmationDelay: Duration(5 * time.Second),
		MaxInactivity:               Duration(10 * time.Minute),
		MaxActiveDuration:           Duration(30 * time.Minute),
		MisfireGrace:                Duration(time.Hour),
		NetworkRetry: NetworkRetry{Policy: "forever", Delays: []Duration{
			Duration(5 * time.Second), Duration(15 * time.Second), Duration(30 * time.Second)}},
		Relaunch: "with_commands", AfterActions: AfterActionsCall, PromptDetail: "normal",
		MaxCallsPerResponse: 10, MaxQueueLength: 1000, ApprovalOnExpiry: "keep",
		FileBudget:        FileBudget{Bytes: 1 << 30, Count: 10_000},
		FallbackProviders: []string{}, AllowedHosts: []string{"*"}, Commands: []string{"*"}, SensitiveCommands: []string{},
		Prices: Prices{}, PromptChunks: map[string]ChunkChange{},
		Limits:        LimitSet{Chat: limits(nil), Automation: limits(&twenty)},
		Notifications: Notifications{MailTo: []string{}},
	}
}

// LimitsOf are those of a session: an agent has its own for its answers and its history.
func (s *Settings) LimitsOf(session *Session) Limits {
	limits := s.LimitsFor(session.Type)
	if run := session.State.Agent; run != nil {
		limits.MaxAutonomousRoundtrips, limits.ContextBudgetTokens = &run.MaxTurns, &run.TokenBudget
	}
	return limits
}

// LimitsFor picks the limits of a session's type.
func (s *Settings) LimitsFor(t SessionType) Limits {
	if t == Chat {
		return s.Limits.Chat
	}
	return s.Limits.Automation
}

// Version is a hash of the settings. They are stored as one text without a version of its own, so it is
// made from their content and from the defaults: clients see which values differ from those.
func (s *Settings) Version() (int64, error) {
	text, err := json.Marshal([]Settings{*s, DefaultSettings()})
	if err != nil {
		return 0, fmt.Errorf("number the settings: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text)                           // a hash refuses nothing
	return int64(sum.Sum64()&math.MaxInt64) | 1, nil // never 0, which means no version
}
