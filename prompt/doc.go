// Package prompt converts between a session's messages and a model's input and output: messages
// become the turns of a prompt, and a model's raw answer becomes an AI message.
//
// Output: Level1 (documentation, the same bytes in each call), Level2 (the user's documents and
// tools), a History (the messages, appended to) and Tail (the current time). Input: Parse, for native
// calls and for JSON answers; later code does not distinguish them.
//
// Two rules always hold. The same messages give the same turns, whether they were appended one by one
// or rebuilt after a restart. And every prompt is valid for every API: turns alternate and begin with
// the user, each call has exactly one result in the next turn, and each result has a call.
package prompt
