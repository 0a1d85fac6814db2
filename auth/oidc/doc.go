// Package oidc authenticates people by an OpenID Connect issuer: with the code flow in browsers, and with bearer
// tokens.
//
// The signature of a token is verified first, with a key that the issuer publishes and for the algorithm of that key;
// then the issuer, the audience and the times, in this order. Each check has its own error, for the people who set the
// issuer up.
package oidc
