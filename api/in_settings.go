package api

import (
	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/domain"
)

// Domain returns the requested change. null restores a default. version is the one that the client has read.
func (in *SettingsPatch) Domain(version int64) domain.SettingsPatch {
	def := domain.DefaultSettings()
	return domain.SettingsPatch{
		Version:              version,
		Language:             orDefault(in.Language, def.Language),
		TimeZone:             orDefault(in.TimeZone, def.TimeZone),
		DayStartHour:         orDefault(in.DayStartHour, def.DayStartHour),
		WeekStartDay:         orDefault(in.WeekStartDay, def.WeekStartDay),
		RequireValidation:    orDefault(in.RequireValidation, def.RequireValidation),
		AutomationValidation: orDefault(in.AutomationValidation, def.AutomationValidation),
		ChatPreempts:         orDefault(in.ChatPreempts, def.ChatPreempts),
		ProtocolSettingsPatch: domain.ProtocolSettingsPatch{
			ChatSessionHeader: orDefault(in.ChatSessionHeader, def.ChatSessionHeader),
			MCPAnswers:        orDefault(in.McpAnswers, def.MCPAnswers),
			ApproveByText:     orDefault(in.ApproveByText, def.ApproveByText),
		},
		PeopleSettingsPatch: domain.PeopleSettingsPatch{
			ChatsVisible: word[domain.Visibility](orDefault(in.ChatsVisible, string(def.ChatsVisible))),
		},
		ChatEvictionAfter:           orDefault(in.ChatEvictionAfter, def.ChatEvictionAfter),
		AutomationMaxWait:           orDefault(in.AutomationMaxWait, def.AutomationMaxWait),
		CompletionConfirmationDelay: orDefault(in.CompletionConfirmationDelay, def.CompletionConfirmationDelay),
		MaxInactivity:               orDefault(in.MaxInactivity, def.MaxInactivity),
		MaxActiveDuration:           orDefault(in.MaxActiveDuration, def.MaxActiveDuration),
		MisfireGrace:                orDefault(in.MisfireGrace, def.MisfireGrace),
		Relaunch:                    orDefault(in.Relaunch, def.Relaunch),
		AfterActions:                orDefault(in.AfterActions, def.AfterActions),
		PromptDetail:                orDefault(in.PromptDetail, def.PromptDetail),
		MaxCallsPerResponse:         orDefault(in.MaxCallsPerResponse, def.MaxCallsPerResponse),
		MaxQueueLength:              orDefault(in.MaxQueueLength, def.MaxQueueLength),
		ApprovalExpiry:              orDefault(in.ApprovalExpiry, def.ApprovalExpiry),
		ApprovalOnExpiry:            orDefault(in.ApprovalOnExpiry, def.ApprovalOnExpiry),
		FallbackProviders:           orDefault(in.FallbackProviders, def.FallbackProviders),
		AllowedHosts:                orDefault(in.AllowedHosts, def.AllowedHosts),
		Commands:                    orDefault(in.Commands, def.Commands),
		SensitiveCommands:           orDefault(in.SensitiveCommands, def.SensitiveCommands),
		NetworkRetry:                retryPatch(in.NetworkRetry, def.NetworkRetry),
		FileBudget:                  filesPatch(in.FileBudget, def.FileBudget),
		Prices:                      pricesPatch(in.Prices),
		PromptChunks:                chunksPatch(in.PromptChunks),
		Limits:                      limitSetPatch(in.Limits, def.Limits),
		Notifications:               notificationsPatch(in.Notifications, def.Notifications),
	}
}

func retryPatch(in nullable.Nullable[SettingsPatchNetworkRetry], def domain.NetworkRetry) domain.NetworkRetryPatch {
	if in.IsNull() {
		return domain.NetworkRetryPatch{Policy: &def.Policy, Delays: &def.Delays}
	}
	retry := in[true]
	return domain.NetworkRetryPatch{Policy: orDefault(retry.Policy, def.Policy), Delays: orDefault(retry.Delays, def.Delays)}
}

func filesPatch(in nullable.Nullable[SettingsPatchFileBudget], def domain.FileBudget) domain.FileBudgetPatch {
	if in.IsNull() {
		return domain.FileBudgetPatch{Bytes: &def.Bytes, Count: &def.Count}
	}
	budget := in[true]
	return domain.FileBudgetPatch{Bytes: orDefault(budget.Bytes, def.Bytes), Count: orDefault(budget.Count, def.Count)}
}

func notificationsPatch(in nullable.Nullable[SettingsPatchNotifications], def domain.Notifications) domain.NotificationsPatch {
	if in.IsNull() {
		return domain.NotificationsPatch{MailTo: &def.MailTo, QuietHours: &def.QuietHours, ShowContent: &def.ShowContent}
	}
	given := in[true]
	out := domain.NotificationsPatch{
		MailTo: orDefault(given.MailTo, def.MailTo), ShowContent: orDefault(given.ShowContent, def.ShowContent),
	}
	switch {
	case given.QuietHours.IsNull():
		out.QuietHours = &def.QuietHours
	case given.QuietHours.IsSpecified():
		q := given.QuietHours[true]
		out.QuietHours = new(&domain.QuietHours{From: q.From, To: q.To})
	}
	return out
}

func limitSetPatch(in nullable.Nullable[SettingsPatchLimits], def domain.LimitSet) domain.LimitSetPatch {
	if in.IsNull() {
		return domain.LimitSetPatch{Chat: allLimits(def.Chat), Automation: allLimits(def.Automation)}
	}
	limits := in[true]
	return domain.LimitSetPatch{Chat: limitsPatch(limits.Chat, def.Chat), Automation: limitsPatch(limits.Automation, def.Automation)}
}

func limitsPatch(in nullable.Nullable[LimitsPatch], def domain.Limits) domain.LimitsPatch {
	if in.IsNull() {
		return allLimits(def)
	}
	p := in[true]
	return domain.LimitsPatch{
		Strict:                  p.Preset != nil, // strict is the only preset
		MaxAutonomousRoundtrips: orNil(p.MaxAutonomousRoundtrips),
		MaxDataQueryIterations:  orNil(p.MaxDataQueryIterations),
		MaxActionRetries:        orNil(p.MaxActionRetries),
		MaxFormatErrorRetries:   orNil(p.MaxFormatErrorRetries),
		MaxCommandsPerSession:   orNil(p.MaxCommandsPerSession),
		MaxTokensPerRound:       orNil(p.MaxTokensPerRound),
		MaxCostPerRound:         orNil(p.MaxCostPerRound),
		MaxCostPerSession:       orNil(p.MaxCostPerSession),
		MaxCostPerDay:           orNil(p.MaxCostPerDay),
		MaxCostPerMonth:         orNil(p.MaxCostPerMonth),
		ContextBudgetTokens:     orNil(p.ContextBudgetTokens),
	}
}

// allLimits is the patch that makes limits what these are.
func allLimits(l domain.Limits) domain.LimitsPatch {
	return domain.LimitsPatch{
		MaxAutonomousRoundtrips: &l.MaxAutonomousRoundtrips,
		MaxDataQueryIterations:  &l.MaxDataQueryIterations,
		MaxActionRetries:        &l.MaxActionRetries,
		MaxFormatErrorRetries:   &l.MaxFormatErrorRetries,
		MaxCommandsPerSession:   &l.MaxCommandsPerSession,
		MaxTokensPerRound:       &l.MaxTokensPerRound,
		MaxCostPerRound:         &l.MaxCostPerRound,
		MaxCostPerSession:       &l.MaxCostPerSession,
		MaxCostPerDay:           &l.MaxCostPerDay,
		MaxCostPerMonth:         &l.MaxCostPerMonth,
		ContextBudgetTokens:     &l.ContextBudgetTokens,
	}
}

// pricesPatch: null takes a model's price away.
func pricesPatch(in nullable.Nullable[map[string]nullable.Nullable[PricePatch]]) domain.PricesPatch {
	if !in.IsSpecified() || in.IsNull() {
		return domain.PricesPatch{None: in.IsNull()}
	}
	models := map[string]*domain.PricePatch{}
	for model, given := range in[true] {
		if models[model] = nil; given.IsNull() {
			continue
		}
		p := given[true]
		models[model] = &domain.PricePatch{
			Input: p.Input, Output: p.Output, CacheRead: orNil(p.CacheRead), CacheWrite: orNil(p.CacheWrite),
		}
	}
	return domain.PricesPatch{Models: models}
}

// chunksPatch: null takes a chunk's change back.
func chunksPatch(in nullable.Nullable[map[string]nullable.Nullable[ChunkPatch]]) domain.ChunksPatch {
	if !in.IsSpecified() || in.IsNull() {
		return domain.ChunksPatch{None: in.IsNull()}
	}
	names := map[string]*domain.ChunkPatch{}
	for name, given := range in[true] {
		if names[name] = nil; given.IsNull() {
			continue
		}
		p := given[true]
		names[name] = &domain.ChunkPatch{Enabled: orNil(p.Enabled), Text: orNil(p.Text)}
	}
	return domain.ChunksPatch{Names: names}
}
