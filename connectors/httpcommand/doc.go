// Package httpcommand carries out commands by plain HTTP: one API, one secret, many
// commands, each of which is a request that a person wrote as a template of its params.
package httpcommand
