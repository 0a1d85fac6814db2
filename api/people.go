package api

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// SignInFrom is a browser that somebody is signed in with, as they see it; current is the id
// of the one that asks.
func SignInFrom(s *domain.SignedIn, current string) *SignIn {
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
