// Package chat serves clients of OpenAI's chat completions, which become durable by changing their base
// URL. Messages and answers go to the scheduler, and answers are read from the log. The package has no
// state and makes no decisions of its own.
package chat
