// Package branch computes what a retry, another choice among tries, and a fork take from a record: which messages stay in
// the prompt, and which leave it. It is pure.
package branch
