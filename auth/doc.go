// Package auth authenticates requests: it returns the caller's workspace and role.
//
// Credentials are the key of a workspace, of which only the hash is stored; the root key from the environment, which
// manages workspaces; the cookie of a sign-in; or a token of an OpenID Connect issuer. A server that listens on
// loopback and has no keys needs no credentials: a local process can read its files anyway. Such a server is protected
// against web pages in the owner's browser, which can send requests to loopback too.
package auth
