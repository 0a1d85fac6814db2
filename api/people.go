package api

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// SignInFrom encodes a sign-in for its owner. current is the id of the sign-in that makes the request.
func SignInFrom(s *people.SignedIn, current string) *SignIn {
	return &SignIn{
		ID: s.ID, Method: SignInMethod(s.Method), Browser: s.Browser, Current: s.ID == current,
		CreatedAt: Time(s.CreatedAt), LastUsedAt: Time(s.LastUsedAt), ExpiresAt: Time(s.ExpiresAt),
	}
}

// Earliest is the first of some times, without those that are not set.
func Earliest(times ...*time.Time) *Time {
	var first *time.Time
	for _, t := range times {
		if t != nil && !t.IsZero() && (first == nil || t.Before(*first)) {
			first = t
		}
	}
	return timePtr(first)
}

// PersonFrom is a person as an admin sees them.
func PersonFrom(p *people.PersonSummary) *Person {
	return &Person{
		ID: p.ID, Kind: p.Kind, Name: p.DisplayName(), Role: p.Role, CreatedAt: Time(p.CreatedAt), LastSeenAt: Time(p.LastSeenAt),
		BlockedAt: timePtr(p.BlockedAt), Sessions: p.Sessions, SpentThisMonth: costFrom(p.SpentThisMonth),
	}
}

// PersonSessionFrom is a session of another person as an admin sees it: without its name.
func PersonSessionFrom(s *domain.Session) *PersonSession {
	return &PersonSession{
		ID: s.ID, Type: s.Type, CreatedAt: Time(s.CreatedAt), LastEventTime: Time(s.LastEventTime), Cost: costFrom(s.Usage.Cost),
	}
}

// ActsForFrom is for whom a key may act; nil: for no one.
func ActsForFrom(k *people.Key) *ActsFor {
	if k.ActsFor == "" {
		return nil
	}
	return new(ActsFor(k.ActsFor))
}

// Domain returns the requested change.
func (in *PersonPatch) Domain() people.PersonPatch {
	return people.PersonPatch{Renamed: orEmpty(in.Name), Blocked: in.Blocked}
}
