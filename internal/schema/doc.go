// Package schema checks JSON values against JSON Schemas that come from people and
// models: a schema reads no file, calls nobody and takes no time; what is wrong with a
// value is told in plain words, bounded in number and length.
package schema
