// Package openai speaks the OpenAI chat-completions wire, which Groq, DeepSeek,
// Perplexity, Mistral, Ollama, vLLM, llama.cpp, LM Studio and many others speak too.
//
// It is written over net/http and not over a vendor's library, for three reasons: a
// turn is encoded once and its bytes are sent again in each later call; vendors
// number, name and cut tool calls in ways that need an accumulator of our own; and
// the streaming decoder is a hot path.
//
// What differs between vendors is data (presets.go), never a branch on a name.
package openai
