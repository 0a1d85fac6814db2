package domain

// RequestState is the state of the first request with an idempotency key.
type RequestState string

const (
	// RequestNew: nothing of it was applied; it may be carried out.
	RequestNew RequestState = "fresh"
	// RequestRunning: it is being carried out, on a node that lives.
	RequestRunning RequestState = "running"
	// RequestAnswered: its answer is kept.
	RequestAnswered RequestState = "done"
	// RequestApplied: it was carried out, but its answer was lost with the process.
	RequestApplied RequestState = "applied"
	// RequestMismatch: the key came with another request before.
	RequestMismatch RequestState = "mismatch"
)
