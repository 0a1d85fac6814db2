// Package slot decides which session gets the one slot of a workspace: a pure policy with typed reasons.
// It reads no clock and no database; time and state come with the request.
//
// Decide is one cell of the activation table, for one request. Next chooses among all waiting sessions, or
// returns when to check again. Place is a session's position in the queue.
package slot
