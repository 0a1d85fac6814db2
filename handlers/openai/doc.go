// Package openai is what the protocols of OpenAI share, chat completions and responses: the form of
// errors, of the content of messages and of models, and what this server adds to their answers.
package openai
