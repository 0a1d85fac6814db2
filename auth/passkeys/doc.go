// Package passkeys registers the passkeys of people, and checks what they sign with them
// (WebAuthn). It decides nothing else: what has to be signed is its callers' to say.
package passkeys
