// Package edge is what every request passes, whatever its family: who calls (auth.go), which requests repeat an earlier
// one (idempotency.go), conditional requests, rate limits, CORS, and how much memory bodies and responses may take
// (ledger.go). Handlers read with it (decode.go checks a body against the types of the contract), respond with it, and
// write every error with Edge.Fail; errors.go is the only mapping of codes to HTTP.
package edge
