// Package harness runs tests against the real server: it starts one on a free port, calls its API and validates
// every response against the contract. The tests are in the packages next to it, one for each theme.
package harness
