// Package fake is a vendor that speaks the chat-completions wire, for tests: of the
// provider itself, and of the whole server.
package fake
