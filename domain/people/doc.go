// Package people holds the people of a workspace, their API keys, the links through which they answer an approval, and
// tickets for streams.
package people
