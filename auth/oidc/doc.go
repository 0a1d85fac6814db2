// Package oidc lets people in whom an issuer of OpenID Connect vouches for: by its code
// flow in a browser, and by its tokens in a header.
//
// Nothing that the issuer says is believed before its signature was checked, by a key that
// the issuer publishes, for the algorithm of that key. Then who issued it, whom it is for, and
// when, in this order, each with an error of its own: whoever sets this up reads the errors.
package oidc
