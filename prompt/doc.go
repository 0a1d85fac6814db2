// Package prompt stands between a session's messages and a model, in both
// directions: it turns messages into the turns of a prompt, and a model's raw answer
// into an AI message.
//
// Out: Level1 (documentation, the same bytes from call to call), Level2 (the user's
// documents and tools), a History (the conversation, appended to) and Tail (the clock).
// In: Parse, for native calls and for answers in JSON; nothing after it knows which
// it was.
//
// Two rules hold everywhere. The same messages give the same turns, whether they were
// appended one by one or rebuilt after a restart. And every prompt is valid for every
// API: turns alternate and begin with the user, each call has exactly one result in
// the turn after it, and no result stands without its call.
package prompt
