// Package trial is the user's data in which actions are tried before a person approves them: it takes every write, and the data
// beneath stays as it is.
package trial
