// Package openai serves clients of OpenAI's chat completions and responses, which become durable by
// changing their base URL. Messages and answers go to the scheduler, and answers are read from the
// log. The package has no state and makes no decisions of its own. Files whose names begin with
// response are about responses; door, answer, chunks, request, raw and rawprompt are about chat
// completions; the others are about both.
package openai
