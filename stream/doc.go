// Package stream carries what happens in a workspace to whoever listens: committed
// events, each under its number, and the text of an answer while the AI writes it.
//
// The log in the database is the truth. What is published here is a hint that saves
// readers the trip: a Reader orders by number, drops what it has given out already
// and reads the log again wherever a number is missing. Deltas are never stored; a
// listener loses one only by being closed, and their offsets let it check.
//
// Nothing here ever waits for a listener. Its queue is bounded, and one that cannot
// keep up is closed and comes back with its cursor.
package stream
