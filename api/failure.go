package api

import "github.com/fermata-dev/fermata/domain"

// Failure is an error as every door tells it, each in the form of its protocol.
type Failure struct {
	Status     int
	Code       domain.Code
	Message    string
	RequestID  string
	Retryable  bool
	Outcome    domain.WriteOutcome
	Fields     []domain.FieldError
	RetryAfter int // seconds; 0: it does not help to wait
}
