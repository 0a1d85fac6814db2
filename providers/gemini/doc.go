// Package gemini speaks to Google's Gemini through its official library (genai).
//
// The library keeps the address, the parameters and the decoding. Around it stands a
// transport of our own (transport.go, wire.go), because of what was measured:
//
//   - it would encode the whole history at each call; here a turn is encoded once and
//     its bytes go out after the library's own parameters;
//   - it makes numbers of arguments into floating point, so that 2^53+1 becomes 2^53; here
//     their text is kept;
//   - it loses the headers of an error, reads lines of up to 256 MiB, and takes a
//     stream that ends early for a complete one;
//   - it takes its key and its address from the environment where they are left out,
//     shows the key in errors, and sends it along when it is redirected. It gets no key:
//     the transport adds it, for the configured host only;
//   - it writes to the standard log, contents included. It is given nothing to complain
//     about: what goes wrong is noted beside it, and it sees a short stream.
package gemini
