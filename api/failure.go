package api

import "github.com/fermata-dev/fermata/domain"

// Failure is an error for clients, independent of the protocol that encodes it.
type Failure struct {
	Status     int
	Code       domain.Code
	Message    string
	RequestID  string
	Retryable  bool
	Outcome    domain.WriteOutcome
	Fields     []domain.FieldError
	RetryAfter int // seconds; 0: a retry does not help
}
