// Package responses serves clients of OpenAI's responses, which become durable by changing their base
// URL. A response is a round of a session: messages and answers go to the scheduler, and the events of a
// response are read from the log. The package has no state and makes no decisions of its own.
package responses
