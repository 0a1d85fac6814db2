// Package bus carries messages between the nodes that share a database: that a workspace's log has
// grown, that a driver must give up its session, which sessions have viewers on a node, and the text
// of an answer for the nodes where it is followed.
//
// All messages are hints. The database is authoritative: a lost hint is made up for by the next
// poll. So sending never blocks on a receiver, nothing is stored, and nothing is sent from within a
// transaction that changes state.
//
// One goroutine sends. It collects messages and sends them after the commits, at most every 20 ms;
// the text of answers in batches of 60 ms, only to the nodes with viewers, and before the hint that
// the finished message is stored.
package bus
