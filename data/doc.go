// Package data keeps the user's data: zones, tools, their entries, tool types and
// documents. Its rules say what may be stored, once for everybody: the API calls them
// through the Service, which opens the transaction; the commands of the AI call them
// inside the transaction of their session.
package data
