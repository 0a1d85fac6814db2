// Package people holds the people of a workspace, their API keys and tickets for streams.
package people
