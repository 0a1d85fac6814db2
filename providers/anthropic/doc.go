// Package anthropic calls Claude through Anthropic's official SDK.
//
// The SDK provides the HTTP client: URL, key, headers, pagination, and the decoder of event
// streams. Two things are our own. Request bodies are assembled from cached encoded turns, so that
// a call only costs what is new; the SDK would encode the whole history each time. And answers are
// accumulated here, since an answer without its end must not count as complete.
//
// Every call is streamed on the wire, because the API rejects long answers otherwise.
package anthropic
