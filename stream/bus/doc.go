// Package bus carries news between the nodes that share a database: that a workspace's
// log has grown, that a driver must let its session go, who watches which session, and
// the text of an answer to the node where somebody reads along.
//
// All of it is hints. The database is the truth: a hint that is lost delays what it
// speaks of until the next look, and loses nothing. So nothing here waits for a
// listener, nothing is stored, and nothing is sent from within a transaction that
// changes state.
//
// One goroutine sends. It gathers what there is and sends it after the commits, at most
// every 20 ms; the text of answers in batches of 60 ms, only to the nodes where somebody
// watches, and before the news that the finished message is stored.
package bus
