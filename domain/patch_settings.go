package domain

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
)

// ProtocolSettingsPatch changes what is about the clients of other protocols.
type ProtocolSettingsPatch struct {
	ChatSessionHeader *string
	MCPAnswers        *bool
	ApproveByText     *bool
}

// PeopleSettingsPatch changes what is about the people who share the workspace.
type PeopleSettingsPatch struct{ ChatsVisible *Visibility }

// SettingsPatch changes settings. Nil: unchanged. Version is the one that the client saw;
// 0: any.
type SettingsPatch struct {
	Version              int64
	Language             *string
	TimeZone             *string
	DayStartHour         *int
	WeekStartDay         *string
	RequireValidation    *bool
	AutomationValidation *string
	ChatPreempts         *bool
	ProtocolSettingsPatch
	PeopleSettingsPatch
	ChatEvictionAfter           *Duration
	AutomationMaxWait           *Duration
	CompletionConfirmationDelay *Duration
	MaxInactivity               *Duration
	MaxActiveDuration           *Duration
	MisfireGrace                *Duration
	Relaunch                    *string
	AfterActions                *string
	PromptDetail                *string
	MaxCallsPerResponse         *int
	MaxQueueLength              *int
	ApprovalExpiry              *Duration
	ApprovalOnExpiry            *string
	FallbackProviders           *[]string
	AllowedHosts                *[]string
	Commands                    *[]string
	SensitiveCommands           *[]string
	NetworkRetry                NetworkRetryPatch
	FileBudget                  FileBudgetPatch
	Prices                      PricesPatch
	PromptChunks                ChunksPatch
	Limits                      LimitSetPatch
	Notifications               NotificationsPatch
}

// NetworkRetryPatch changes how the network is tried again.
type NetworkRetryPatch struct {
	Policy *string
	Delays *[]Duration
}

// FileBudgetPatch changes what the files of a workspace may be.
type FileBudgetPatch struct{ Bytes, Count *int64 }

// PricesPatch changes the prices of the models that it names; nil takes a model's away.
type PricesPatch struct {
	None   bool // all are removed, regardless of Models
	Models map[string]*PricePatch
}

// PricePatch changes a price. Nil: unchanged; of the cache's, a pointer to nil: none.
type PricePatch struct {
	Input, Output *float64
	CacheRead     **float64
	CacheWrite    **float64
}

// ChunksPatch changes the chunks that it names; nil takes a chunk's change back.
type ChunksPatch struct {
	None  bool // all get their defaults, regardless of Names
	Names map[string]*ChunkPatch
}

// ChunkPatch changes a chunk. Nil: unchanged; a pointer to nil: as it was built in.
type ChunkPatch struct {
	Enabled **bool
	Text    **string
}

// LimitSetPatch changes the limits of each kind of session.
type LimitSetPatch struct {
	Chat       LimitsPatch
	Automation LimitsPatch
}

// LimitsPatch changes limits. Nil: unchanged; a pointer to nil: no limit.
type LimitsPatch struct {
	Strict                  bool // the preset; the fields come after it
	MaxAutonomousRoundtrips **int
	MaxDataQueryIterations  **int
	MaxActionRetries        **int
	MaxFormatErrorRetries   **int
	MaxCommandsPerSession   **int
	MaxTokensPerRound       **int64
	MaxCostPerRound         **float64
	MaxCostPerSession       **float64
	MaxCostPerDay           **float64
	MaxCostPerMonth         **float64
	ContextBudgetTokens     **int
}

// maxPrices bounds the prices of a workspace's own.
const maxPrices = 200

// Apply merges the patch into settings, if they are still those that the client saw.
func (p SettingsPatch) Apply(s *Settings) error {
	if err := p.sameVersion(s); err != nil {
		return err
	}
	Set(&s.Language, p.Language)
	Set(&s.TimeZone, p.TimeZone)
	Set(&s.DayStartHour, p.DayStartHour)
	Set(&s.WeekStartDay, p.WeekStartDay)
	Set(&s.RequireValidation, p.RequireValidation)
	Set(&s.AutomationValidation, p.AutomationValidation)
	Set(&s.ChatPreempts, p.ChatPreempts)
	Set(&s.ChatsVisible, p.ChatsVisible)
	Set(&s.ChatSessionHeader, p.ChatSessionHeader)
	Set(&s.MCPAnswers, p.MCPAnswers)
	Set(&s.ApproveByText, p.ApproveByText)
	Set(&s.ChatEvictionAfter, p.ChatEvictionAfter)
	Set(&s.AutomationMaxWait, p.AutomationMaxWait)
	Set(&s.CompletionConfirmationDelay, p.CompletionConfirmationDelay)
	Set(&s.MaxInactivity, p.MaxInactivity)
	Set(&s.MaxActiveDuration, p.MaxActiveDuration)
	Set(&s.MisfireGrace, p.MisfireGrace)
	Set(&s.Relaunch, p.Relaunch)
	Set(&s.AfterActions, p.AfterActions)
	Set(&s.PromptDetail, p.PromptDetail)
	Set(&s.MaxCallsPerResponse, p.MaxCallsPerResponse)
	Set(&s.MaxQueueLength, p.MaxQueueLength)
	Set(&s.FileBudget.Bytes, p.FileBudget.Bytes)
	Set(&s.FileBudget.Count, p.FileBudget.Count)
	Set(&s.ApprovalExpiry, p.ApprovalExpiry)
	Set(&s.ApprovalOnExpiry, p.ApprovalOnExpiry)
	Set(&s.FallbackProviders, p.FallbackProviders)
	Set(&s.AllowedHosts, p.AllowedHosts)
	Set(&s.Commands, p.Commands)
	Set(&s.SensitiveCommands, p.SensitiveCommands)
	Set(&s.NetworkRetry.Policy, p.NetworkRetry.Policy)
	Set(&s.NetworkRetry.Delays, p.NetworkRetry.Delays)
	if err := p.Prices.apply(&s.Prices); err != nil {
		return err
	}
	Set(&s.Notifications.MailTo, p.Notifications.MailTo)
	Set(&s.Notifications.QuietHours, p.Notifications.QuietHours)
	Set(&s.Notifications.ShowContent, p.Notifications.ShowContent)
	p.PromptChunks.apply(&s.PromptChunks)
	p.Limits.Chat.apply(&s.Limits.Chat, Chat)
	p.Limits.Automation.apply(&s.Limits.Automation, Run)
	if len(s.Prices) > maxPrices {
		return Invalid("/prices", "too_large", "A workspace may have %d prices of its own.", maxPrices)
	}
	return nil
}

func (p SettingsPatch) sameVersion(s *Settings) error {
	if p.Version == 0 {
		return nil
	}
	now, err := s.Version()
	if err != nil {
		return err
	}
	if p.Version != now {
		return Errorf(CodePreconditionFailed, "The settings have changed since you read them. "+
			"Nothing was changed now; read them again and make your change there.")
	}
	return nil
}

// apply works on a copy: the settings before the change may be read by others.
func (p PricesPatch) apply(dst *Prices) error {
	if p.None {
		*dst = Prices{}
		return nil
	}
	if p.Models == nil {
		return nil
	}
	all := maps.Clone(*dst)
	if all == nil {
		all = Prices{}
	}
	for _, model := range slices.Sorted(maps.Keys(p.Models)) {
		patch, price := p.Models[model], all[model]
		if patch == nil {
			delete(all, model)
			continue
		}
		if _, priced := all[model]; !priced {
			if err := patch.isWhole(model); err != nil {
				return err
			}
		}
		patch.apply(&price)
		all[model] = price
	}
	*dst = all
	return nil
}

// isWhole refuses a part of a price for a model that has none yet.
func (p *PricePatch) isWhole(model string) error {
	at := "/prices/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(model)
	for _, needed := range []struct {
		field string
		value *float64
	}{{"input", p.Input}, {"output", p.Output}} {
		if needed.value == nil {
			return Invalid(at+"/"+needed.field, "required", "The model has no price of its own yet, so this is needed.")
		}
	}
	return nil
}

func (p *PricePatch) apply(price *Price) {
	Set(&price.Input, p.Input)
	Set(&price.Output, p.Output)
	Set(&price.CacheRead, p.CacheRead)
	Set(&price.CacheWrite, p.CacheWrite)
}

// apply works on a copy, like that of the prices. A change without content changes nothing.
func (p ChunksPatch) apply(dst *map[string]ChunkChange) {
	if p.None {
		*dst = map[string]ChunkChange{}
		return
	}
	if p.Names == nil {
		return
	}
	all := maps.Clone(*dst)
	if all == nil {
		all = map[string]ChunkChange{}
	}
	for name, patch := range p.Names {
		if patch == nil {
			delete(all, name)
			continue
		}
		change := all[name]
		Set(&change.Enabled, patch.Enabled)
		Set(&change.Text, patch.Text)
		if all[name] = change; change == (ChunkChange{}) {
			delete(all, name)
		}
	}
	*dst = all
}

func (p LimitsPatch) apply(l *Limits, t SessionType) {
	if p.Strict {
		l.Strict(t)
	}
	Set(&l.MaxAutonomousRoundtrips, p.MaxAutonomousRoundtrips)
	Set(&l.MaxDataQueryIterations, p.MaxDataQueryIterations)
	Set(&l.MaxActionRetries, p.MaxActionRetries)
	Set(&l.MaxFormatErrorRetries, p.MaxFormatErrorRetries)
	Set(&l.MaxCommandsPerSession, p.MaxCommandsPerSession)
	Set(&l.MaxTokensPerRound, p.MaxTokensPerRound)
	Set(&l.MaxCostPerRound, p.MaxCostPerRound)
	Set(&l.MaxCostPerSession, p.MaxCostPerSession)
	Set(&l.MaxCostPerDay, p.MaxCostPerDay)
	Set(&l.MaxCostPerMonth, p.MaxCostPerMonth)
	Set(&l.ContextBudgetTokens, p.ContextBudgetTokens)
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
