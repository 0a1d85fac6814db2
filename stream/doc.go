// Package stream delivers what happens in a workspace to listeners: committed events, each under
// its number, and the text of an answer while the AI writes it.
//
// The log in the database is authoritative. What is published here is a hint that saves readers the
// query: a Reader orders events by number, drops those that it has returned already and reads the
// log again if a number is missing. Deltas are never stored; a listener loses one only by being
// closed, which it can detect by their offsets.
//
// Publishing never blocks on a listener. Its queue is bounded, and a listener that cannot keep up is
// closed and reconnects with its cursor.
package stream
