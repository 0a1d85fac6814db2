// Package slot decides who gets the one slot of a workspace: a pure policy with typed
// reasons. It reads no clock and no database; time and state come with the request.
//
// Decide is one cell of the activation table, for one request. Next looks at all who wait
// and says who comes next, or when to look again. Place is where a session stands in the
// queue.
package slot
