package api

import (
	"time"

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
