package api

import (
	"maps"

	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/domain"
)

// Apply changes settings as the patch says. null brings back the default.
func (in *SettingsPatch) Apply(s *domain.Settings) {
	def := domain.DefaultSettings()
	setOrDefault(&s.Language, in.Language, def.Language)
	setOrDefault(&s.TimeZone, in.TimeZone, def.TimeZone)
	setOrDefault(&s.DayStartHour, in.DayStartHour, def.DayStartHour)
	setOrDefault(&s.WeekStartDay, in.WeekStartDay, def.WeekStartDay)
	setOrDefault(&s.RequireValidation, in.RequireValidation, def.RequireValidation)
	setOrDefault(&s.AutomationValidation, in.AutomationValidation, def.AutomationValidation)
	setOrDefault(&s.ChatPreempts, in.ChatPreempts, def.ChatPreempts)
	setOrDefault(&s.ChatEvictionAfter, in.ChatEvictionAfter, def.ChatEvictionAfter)
	setOrDefault(&s.AutomationMaxWait, in.AutomationMaxWait, def.AutomationMaxWait)
	setOrDefault(&s.CompletionConfirmationDelay, in.CompletionConfirmationDelay, def.CompletionConfirmationDelay)
	setOrDefault(&s.MaxInactivity, in.MaxInactivity, def.MaxInactivity)
	setOrDefault(&s.MaxActiveDuration, in.MaxActiveDuration, def.MaxActiveDuration)
	setOrDefault(&s.MisfireGrace, in.MisfireGrace, def.MisfireGrace)
	merge(&s.NetworkRetry, in.NetworkRetry, def.NetworkRetry, func(dst *domain.NetworkRetry, retry SettingsPatchNetworkRetry) {
		setOrDefault(&dst.Policy, retry.Policy, def.NetworkRetry.Policy)
		setOrDefault(&dst.Delays, retry.Delays, def.NetworkRetry.Delays)
	})
	setOrDefault(&s.Relaunch, in.Relaunch, def.Relaunch)
	setOrDefault(&s.PromptDetail, in.PromptDetail, def.PromptDetail)
	setOrDefault(&s.MaxCallsPerResponse, in.MaxCallsPerResponse, def.MaxCallsPerResponse)
	setOrDefault(&s.MaxQueueLength, in.MaxQueueLength, def.MaxQueueLength)
	setOrDefault(&s.ApprovalExpiry, in.ApprovalExpiry, def.ApprovalExpiry)
	setOrDefault(&s.ApprovalOnExpiry, in.ApprovalOnExpiry, def.ApprovalOnExpiry)
	setOrDefault(&s.FallbackProviders, in.FallbackProviders, def.FallbackProviders)
	merge(&s.Prices, in.Prices, def.Prices, applyPrices)
	merge(&s.PromptChunks, in.PromptChunks, def.PromptChunks, applyChunks)
	merge(&s.Limits, in.Limits, def.Limits, func(dst *domain.LimitSet, limits SettingsPatchLimits) {
		merge(&dst.Chat, limits.Chat, def.Limits.Chat, limitsOf(domain.Chat))
		merge(&dst.Automation, limits.Automation, def.Limits.Automation, limitsOf(domain.Run))
	})
}

// limitsOf applies a patch to the limits of a type of session, its preset first.
func limitsOf(t domain.SessionType) func(*domain.Limits, LimitsPatch) {
	return func(l *domain.Limits, p LimitsPatch) {
		if p.Preset != nil { // strict is the only one
			l.Strict(t)
		}
		setOptional(&l.MaxAutonomousRoundtrips, p.MaxAutonomousRoundtrips)
		setOptional(&l.MaxDataQueryIterations, p.MaxDataQueryIterations)
		setOptional(&l.MaxActionRetries, p.MaxActionRetries)
		setOptional(&l.MaxFormatErrorRetries, p.MaxFormatErrorRetries)
		setOptional(&l.MaxCommandsPerSession, p.MaxCommandsPerSession)
		setOptional(&l.MaxTokensPerRound, p.MaxTokensPerRound)
		setOptional(&l.MaxCostPerRound, p.MaxCostPerRound)
		setOptional(&l.MaxCostPerSession, p.MaxCostPerSession)
		setOptional(&l.MaxCostPerDay, p.MaxCostPerDay)
		setOptional(&l.MaxCostPerMonth, p.MaxCostPerMonth)
		setOptional(&l.ContextBudgetTokens, p.ContextBudgetTokens)
	}
}

// applyPrices changes the prices of the models that the patch names; null takes a model's
// away.
func applyPrices(dst *domain.Prices, patch map[string]nullable.Nullable[PricePatch]) {
	all := maps.Clone(*dst)
	if all == nil {
		all = domain.Prices{}
	}
	for model, p := range patch {
		if p.IsNull() {
			delete(all, model)
			continue
		}
		price, in := all[model], p[true]
		price.Input, price.Output = *in.Input, *in.Output
		setOptional(&price.CacheRead, in.CacheRead)
		setOptional(&price.CacheWrite, in.CacheWrite)
		all[model] = price
	}
	*dst = all
}

// applyChunks changes the chunks that the patch names; null takes a change back.
func applyChunks(dst *map[string]domain.ChunkChange, patch map[string]nullable.Nullable[ChunkPatch]) {
	all := maps.Clone(*dst)
	if all == nil {
		all = map[string]domain.ChunkChange{}
	}
	for name, p := range patch {
		change := all[name]
		setOptional(&change.Enabled, p[true].Enabled)
		setOptional(&change.Text, p[true].Text)
		if all[name] = change; p.IsNull() || change == (domain.ChunkChange{}) {
			delete(all, name)
		}
	}
	*dst = all
}
