// Package anthropic calls Claude through Anthropic's official SDK.
//
// The SDK gives the client: address, key, headers, pages of models, and the decoder of
// event streams. Two things are ours. The body of a request is put together from turns
// that were encoded once, so that a call costs what is new; the SDK would encode the
// whole history again. And the answer is gathered here, since an answer without its end
// must never count as one.
//
// Every call is streamed on the wire (the API refuses long answers otherwise); when
// nobody listens, nothing is published.
package anthropic
