// Package breaker is a circuit breaker: while a service does not answer, calls to it fail at once. It knows no errors
// and no texts; its owners derive the result of a call, and say why one is refused.
package breaker
