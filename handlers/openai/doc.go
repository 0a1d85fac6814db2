// Package openai is the door for clients of OpenAI's chat completions: any of them becomes
// durable by changing its base URL. What comes in passes the scheduler's door, what goes out
// is read from the log; nothing is kept or decided here.
package openai
