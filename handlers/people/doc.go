// Package people has the handlers for the people who sign in, with their passkeys and browsers, and for the settings and
// keys of a workspace.
package people
