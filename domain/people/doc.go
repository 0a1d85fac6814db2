// Package people holds the people of a workspace, their API keys and passkeys, the links through which they answer an
// approval, and tickets for streams.
package people
