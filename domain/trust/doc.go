// Package trust records how far the texts of a row can be relied on. Every row that a round writes has the least trust of
// everything that was in its prompt, so that external content does not become the workspace's own by being stored: a session
// that reads such a row is tainted by it as by the content itself. A person confirms a row, which is recorded with it.
package trust
