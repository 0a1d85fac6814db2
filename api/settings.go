package api

import (
	"maps"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// SettingsFrom is a workspace's settings as clients see them.
func SettingsFrom(s *domain.Settings) *Settings {
	out := settingsFrom(s)
	def := domain.DefaultSettings()
	out.Changed = changed(out, settingsFrom(&def))
	return out
}

func settingsFrom(s *domain.Settings) *Settings {
	out := &Settings{
		Language: SettingsLanguage(s.Language), TimeZone: s.TimeZone, DayStartHour: s.DayStartHour,
		WeekStartDay: SettingsWeekStartDay(s.WeekStartDay), RequireValidation: s.RequireValidation,
		AutomationValidation: SettingsAutomationValidation(s.AutomationValidation), ChatPreempts: s.ChatPreempts,
		ChatsVisible: s.ChatsVisible,
		Lanes:        SettingsLanes(s.Lanes), AutomationsAtOnce: s.AutomationsAtOnce, MaxCallsAside: s.MaxCallsAside,
		ChatSessionHeader: s.ChatSessionHeader, McpAnswers: s.MCPAnswers, ApproveByText: s.ApproveByText,
		ChatEvictionAfter: wireDuration(s.ChatEvictionAfter), AutomationMaxWait: wireDuration(s.AutomationMaxWait),
		CompletionConfirmationDelay: wireDuration(s.CompletionConfirmationDelay),
		MaxInactivity:               wireDuration(s.MaxInactivity), MaxActiveDuration: wireDuration(s.MaxActiveDuration),
		MisfireGrace: wireDuration(s.MisfireGrace), Relaunch: SettingsRelaunch(s.Relaunch),
		AfterActions: SettingsAfterActions(s.AfterActions),
		PromptDetail: SettingsPromptDetail(s.PromptDetail), MaxCallsPerResponse: s.MaxCallsPerResponse,
		MaxQueueLength: s.MaxQueueLength, ApprovalExpiry: wireDuration(s.ApprovalExpiry),
		ApprovalOnExpiry:  SettingsApprovalOnExpiry(s.ApprovalOnExpiry),
		FallbackProviders: listOf(s.FallbackProviders), AllowedHosts: listOf(s.AllowedHosts), Commands: listOf(s.Commands),
		SensitiveCommands: listOf(s.SensitiveCommands), Prices: map[string]Price{},
	}
	maps.Copy(out.Prices, s.Prices)
	out.PromptChunks = map[string]ChunkChange{}
	maps.Copy(out.PromptChunks, s.PromptChunks)
	out.Limits.Chat, out.Limits.Automation = s.Limits.Chat, s.Limits.Automation
	out.FileBudget.Bytes, out.FileBudget.Count = s.FileBudget.Bytes, s.FileBudget.Count
	out.Notifications = notificationsFrom(&s.Notifications)
	out.NetworkRetry.Policy = SettingsNetworkRetryPolicy(s.NetworkRetry.Policy)
	out.NetworkRetry.Delays = make([]Duration, 0, len(s.NetworkRetry.Delays))
	for _, d := range s.NetworkRetry.Delays {
		out.NetworkRetry.Delays = append(out.NetworkRetry.Delays, wireDuration(d))
	}
	return out
}

func notificationsFrom(n *domain.Notifications) Notifications {
	out := Notifications{MailTo: listOf(n.MailTo), ShowContent: n.ShowContent}
	if n.QuietHours != nil {
		out.QuietHours = &QuietHours{From: n.QuietHours.From, To: n.QuietHours.To}
	}
	return out
}

func wireDuration(d domain.Duration) Duration { return durationText(time.Duration(d)) }

// durationText writes a duration as people do: "5m", not "5m0s".
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
