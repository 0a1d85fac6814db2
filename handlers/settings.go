package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// settingsPatch is a merge patch of the settings. null brings back the default.
type settingsPatch struct {
	Language                    nullable.Nullable[string]            `json:"language" validate:"omitempty,dive,oneof=en fr"`
	TimeZone                    nullable.Nullable[string]            `json:"time_zone" validate:"omitempty,dive,visible,max=100"`
	DayStartHour                nullable.Nullable[int]               `json:"day_start_hour" validate:"omitempty,dive,min=0,max=23"`
	WeekStartDay                nullable.Nullable[string]            `json:"week_start_day" validate:"omitempty,dive,oneof=monday tuesday wednesday thursday friday saturday sunday"`
	RequireValidation           nullable.Nullable[bool]              `json:"require_validation"`
	AutomationValidation        nullable.Nullable[string]            `json:"automation_validation" validate:"omitempty,dive,oneof=park refuse allow"`
	ChatPreempts                nullable.Nullable[bool]              `json:"chat_preempts"`
	ChatEvictionAfter           nullable.Nullable[domain.Duration]   `json:"chat_eviction_after" validate:"omitempty,dive,min=0"`
	AutomationMaxWait           nullable.Nullable[domain.Duration]   `json:"automation_max_wait" validate:"omitempty,dive,min=0"`
	CompletionConfirmationDelay nullable.Nullable[domain.Duration]   `json:"completion_confirmation_delay" validate:"omitempty,dive,min=0"`
	MaxInactivity               nullable.Nullable[domain.Duration]   `json:"max_inactivity" validate:"omitempty,dive,min=0"`
	MaxActiveDuration           nullable.Nullable[domain.Duration]   `json:"max_active_duration" validate:"omitempty,dive,min=0"`
	MisfireGrace                nullable.Nullable[domain.Duration]   `json:"misfire_grace" validate:"omitempty,dive,min=0"`
	NetworkRetry                nullable.Nullable[networkRetryPatch] `json:"network_retry" validate:"omitempty,dive"`
	Relaunch                    nullable.Nullable[string]            `json:"relaunch" validate:"omitempty,dive,oneof=with_commands on_error_only"`
	PromptDetail                nullable.Nullable[string]            `json:"prompt_detail" validate:"omitempty,dive,oneof=minimal normal full"`
	MaxCallsPerResponse         nullable.Nullable[int]               `json:"max_calls_per_response" validate:"omitempty,dive,min=1,max=100"`
	MaxQueueLength              nullable.Nullable[int]               `json:"max_queue_length" validate:"omitempty,dive,min=1,max=100000"`
	ApprovalExpiry              nullable.Nullable[domain.Duration]   `json:"approval_expiry" validate:"omitempty,dive,min=0"`
	ApprovalOnExpiry            nullable.Nullable[string]            `json:"approval_on_expiry" validate:"omitempty,dive,oneof=deny keep"`
	FallbackProviders           nullable.Nullable[[]string]          `json:"fallback_providers" validate:"omitempty,dive,max=20,dive,max=64"`
	Prices                      nullable.Nullable[pricesPatch]       `json:"prices"`
	PromptChunks                nullable.Nullable[chunksPatch]       `json:"prompt_chunks"`
	Limits                      nullable.Nullable[limitSetPatch]     `json:"limits" validate:"omitempty,dive"`
}

type networkRetryPatch struct {
	Policy nullable.Nullable[string]            `json:"policy" validate:"omitempty,dive,oneof=forever requeue_after_3"`
	Delays nullable.Nullable[[]domain.Duration] `json:"delays" validate:"omitempty,dive,min=1,max=20,dive,min=0"`
}

type limitSetPatch struct {
	Chat       nullable.Nullable[limitsPatch] `json:"chat" validate:"omitempty,dive"`
	Automation nullable.Nullable[limitsPatch] `json:"automation" validate:"omitempty,dive"`
}

// limitsPatch is a merge patch of limits. null is no limit.
type limitsPatch struct {
	Preset                  *string                    `json:"preset" validate:"omitempty,oneof=strict"`
	MaxAutonomousRoundtrips nullable.Nullable[int]     `json:"max_autonomous_roundtrips" validate:"omitempty,dive,min=0"`
	MaxDataQueryIterations  nullable.Nullable[int]     `json:"max_data_query_iterations" validate:"omitempty,dive,min=0"`
	MaxActionRetries        nullable.Nullable[int]     `json:"max_action_retries" validate:"omitempty,dive,min=0"`
	MaxFormatErrorRetries   nullable.Nullable[int]     `json:"max_format_error_retries" validate:"omitempty,dive,min=0"`
	MaxCommandsPerSession   nullable.Nullable[int]     `json:"max_commands_per_session" validate:"omitempty,dive,min=0"`
	MaxTokensPerRound       nullable.Nullable[int64]   `json:"max_tokens_per_round" validate:"omitempty,dive,min=1"`
	MaxCostPerRound         nullable.Nullable[float64] `json:"max_cost_per_round" validate:"omitempty,dive,min=0"`
	MaxCostPerSession       nullable.Nullable[float64] `json:"max_cost_per_session" validate:"omitempty,dive,min=0"`
	MaxCostPerDay           nullable.Nullable[float64] `json:"max_cost_per_day" validate:"omitempty,dive,min=0"`
	MaxCostPerMonth         nullable.Nullable[float64] `json:"max_cost_per_month" validate:"omitempty,dive,min=0"`
	ContextBudgetTokens     nullable.Nullable[int]     `json:"context_budget_tokens" validate:"omitempty,dive,min=1000"`
}

func (s *server) getSettings(w http.ResponseWriter, r *http.Request) {
	ws, err := s.Settings.Workspace(r.Context(), caller(r).Workspace)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeSettings(w, r, &ws.Settings)
}

func (s *server) updateSettings(w http.ResponseWriter, r *http.Request) {
	var in settingsPatch
	if err := s.read(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	id := caller(r).Workspace
	if err := s.checkSettings(r.Context(), id, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	seen := ifMatch(r)
	ws, err := s.Settings.UpdateSettings(r.Context(), id, func(settings *domain.Settings) error {
		now, err := settingsVersion(settings)
		if err != nil {
			return err
		}
		if seen != 0 && seen != now {
			return domain.Errorf(CodePreconditionFailed, "The settings have changed since you read them. Nothing was changed now; read them again and make your change there.")
		}
		in.apply(settings)
		if len(settings.Prices) > maxPrices {
			return domain.Invalid("/prices", "too_large", "A workspace may have %d prices of its own.", maxPrices)
		}
		return nil
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeSettings(w, r, &ws.Settings)
}

func (s *server) writeSettings(w http.ResponseWriter, r *http.Request, settings *domain.Settings) {
	version, err := settingsVersion(settings)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	setETag(w, version)
	s.writeJSON(w, r, http.StatusOK, api.SettingsFrom(settings))
}

// settingsVersion is a number that other settings do not have. The settings are one
// text without a version of its own, so it is made from what clients see of them.
func settingsVersion(settings *domain.Settings) (int64, error) {
	text, err := json.Marshal(api.SettingsFrom(settings))
	if err != nil {
		return 0, fmt.Errorf("number the settings: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(text)                           // a hash refuses nothing
	return int64(sum.Sum64()&math.MaxInt64) | 1, nil // never 0, which is nobody's
}

// checkSettings checks what no rule of form can say.
func (s *server) checkSettings(ctx context.Context, ws string, in *settingsPatch) error {
	if zone := in.TimeZone[true]; zone != "" {
		if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
			return domain.Invalid("/time_zone", "unknown", "There is no time zone %q. Use an IANA name like Europe/Paris.", zone)
		}
	}
	if err := checkPrices(in.Prices[true]); err != nil {
		return err
	}
	if err := s.checkChunks(in.PromptChunks[true]); err != nil {
		return err
	}
	for i, id := range in.FallbackProviders[true] {
		_, err := s.Providers.Provider(ctx, ws, id)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			return domain.Invalid("/fallback_providers/"+strconv.Itoa(i), "unknown", "There is no provider %q in this workspace.", id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *settingsPatch) apply(s *domain.Settings) {
	def := domain.DefaultSettings()
	merge(&s.Language, p.Language, def.Language)
	merge(&s.TimeZone, p.TimeZone, def.TimeZone)
	merge(&s.DayStartHour, p.DayStartHour, def.DayStartHour)
	merge(&s.WeekStartDay, p.WeekStartDay, def.WeekStartDay)
	merge(&s.RequireValidation, p.RequireValidation, def.RequireValidation)
	merge(&s.AutomationValidation, p.AutomationValidation, def.AutomationValidation)
	merge(&s.ChatPreempts, p.ChatPreempts, def.ChatPreempts)
	merge(&s.ChatEvictionAfter, p.ChatEvictionAfter, def.ChatEvictionAfter)
	merge(&s.AutomationMaxWait, p.AutomationMaxWait, def.AutomationMaxWait)
	merge(&s.CompletionConfirmationDelay, p.CompletionConfirmationDelay, def.CompletionConfirmationDelay)
	merge(&s.MaxInactivity, p.MaxInactivity, def.MaxInactivity)
	merge(&s.MaxActiveDuration, p.MaxActiveDuration, def.MaxActiveDuration)
	merge(&s.MisfireGrace, p.MisfireGrace, def.MisfireGrace)
	mergeNested(&s.NetworkRetry, p.NetworkRetry, def.NetworkRetry, func(dst *domain.NetworkRetry, retry networkRetryPatch) {
		merge(&dst.Policy, retry.Policy, def.NetworkRetry.Policy)
		merge(&dst.Delays, retry.Delays, def.NetworkRetry.Delays)
	})
	merge(&s.Relaunch, p.Relaunch, def.Relaunch)
	merge(&s.PromptDetail, p.PromptDetail, def.PromptDetail)
	merge(&s.MaxCallsPerResponse, p.MaxCallsPerResponse, def.MaxCallsPerResponse)
	merge(&s.MaxQueueLength, p.MaxQueueLength, def.MaxQueueLength)
	merge(&s.ApprovalExpiry, p.ApprovalExpiry, def.ApprovalExpiry)
	merge(&s.ApprovalOnExpiry, p.ApprovalOnExpiry, def.ApprovalOnExpiry)
	merge(&s.FallbackProviders, p.FallbackProviders, def.FallbackProviders)
	mergeNested(&s.Prices, p.Prices, def.Prices, applyPrices)
	mergeNested(&s.PromptChunks, p.PromptChunks, def.PromptChunks, applyChunks)
	mergeNested(&s.Limits, p.Limits, def.Limits, func(dst *domain.LimitSet, limits limitSetPatch) {
		mergeNested(&dst.Chat, limits.Chat, def.Limits.Chat, limitsOf(domain.Chat))
		mergeNested(&dst.Automation, limits.Automation, def.Limits.Automation, limitsOf(domain.Run))
	})
}

// limitsOf applies a patch to the limits of a type of session, its preset first.
func limitsOf(t domain.SessionType) func(*domain.Limits, limitsPatch) {
	return func(l *domain.Limits, p limitsPatch) {
		if p.Preset != nil { // strict is the only one
			l.Strict(t)
		}
		applyLimits(l, p)
	}
}

func applyLimits(l *domain.Limits, p limitsPatch) {
	mergeOptional(&l.MaxAutonomousRoundtrips, p.MaxAutonomousRoundtrips)
	mergeOptional(&l.MaxDataQueryIterations, p.MaxDataQueryIterations)
	mergeOptional(&l.MaxActionRetries, p.MaxActionRetries)
	mergeOptional(&l.MaxFormatErrorRetries, p.MaxFormatErrorRetries)
	mergeOptional(&l.MaxCommandsPerSession, p.MaxCommandsPerSession)
	mergeOptional(&l.MaxTokensPerRound, p.MaxTokensPerRound)
	mergeOptional(&l.MaxCostPerRound, p.MaxCostPerRound)
	mergeOptional(&l.MaxCostPerSession, p.MaxCostPerSession)
	mergeOptional(&l.MaxCostPerDay, p.MaxCostPerDay)
	mergeOptional(&l.MaxCostPerMonth, p.MaxCostPerMonth)
	mergeOptional(&l.ContextBudgetTokens, p.ContextBudgetTokens)
}

// merge applies a field of a merge patch; null brings the default back.
func merge[T any](dst *T, patch nullable.Nullable[T], def T) {
	switch {
	case patch.IsNull():
		*dst = def
	case patch.IsSpecified():
		*dst = patch[true]
	}
}

// mergeNested is merge for an object, whose own fields are merged.
func mergeNested[T, P any](dst *T, patch nullable.Nullable[P], def T, apply func(*T, P)) {
	switch {
	case patch.IsNull():
		*dst = def
	case patch.IsSpecified():
		apply(dst, patch[true])
	}
}
