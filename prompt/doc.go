// Package prompt converts between a session's messages and a model's input and output: messages
// become the turns of a prompt, and a model's raw answer becomes an AI message.
//
// Output: Level1 (documentation, the same bytes in each call), Level2 (the user's documents and
// tools), a History (the messages, appended to) and Tail (the current time). Input: Parse, for native
// calls and for JSON answers; later code does not distinguish them.
//
// Two rules always hold. The same messages give the same bytes, so that the provider's cache hits and
// a rebuilt history equals the one in memory. And every native call of an answer has its result in the
// following turn, and no result is without its call.
package prompt
