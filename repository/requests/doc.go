// Package requests stores the requests that came with an idempotency key, and their responses. The
// transaction that carries a request out marks its key as applied (package transaction).
package requests
