// Package modules holds the communication modules, the forms of a question to a person: the schema of the data of each, of the
// answers to it, and an answer in words.
package modules
