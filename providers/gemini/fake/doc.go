// Package fake is a vendor that speaks the generateContent wire of Gemini, for tests: of
// the provider itself, and of the whole server.
package fake
