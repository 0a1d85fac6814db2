// Package schema validates JSON values against JSON Schemas written by people and models: a schema cannot
// read files, make requests or take much time, and mistakes are reported in plain words, bounded in number
// and length.
package schema
