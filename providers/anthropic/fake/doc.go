// Package fake is a vendor that speaks Anthropic's Messages wire, for tests: of the
// provider itself, and of the whole server.
package fake
