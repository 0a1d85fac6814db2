// Package openai speaks the OpenAI chat-completions wire, which Groq, DeepSeek,
// Perplexity, Mistral, Ollama, vLLM, llama.cpp, LM Studio and many others speak too.
//
// Requests leave through the official SDK (vendor.go). What they say and what comes
// back is ours, for three reasons: a turn is encoded once and its bytes are sent again
// in each later call; vendors number, name and cut tool calls in ways that need an
// accumulator of our own; and reading a stream is a hot path.
//
// What differs between vendors is data (presets.go), never a branch on a name.
package openai
