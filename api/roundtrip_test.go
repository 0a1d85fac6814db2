package api

import "github.com/fermata-dev/fermata/domain"

// RoundtripFrom is what the encoder of usage.updated is compared with.
func RoundtripFrom(r *domain.Roundtrip) *Roundtrip {
	return &Roundtrip{
		ID: r.ID, RoundID: r.RoundID, MessageID: textPtr(r.MessageID), Number: r.Number, Reason: string(r.Reason),
		Purpose: r.Purpose, ProviderID: textPtr(r.ProviderID), ProviderKind: r.ProviderKind, Model: r.Model,
		Outcome: r.Outcome, Error: textPtr(r.Error), Usage: UsageFrom(r.Usage),
		StartedAt: Time(r.StartedAt), FirstTokenAt: timePtr(r.FirstTokenAt), EndedAt: Time(r.EndedAt),
	}
}
