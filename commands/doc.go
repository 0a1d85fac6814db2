// Package commands is the catalogue of everything the AI or an enrichment can ask
// the server to do: resolving, checking, executing and saying it in words.
package commands
