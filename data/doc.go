// Package data manages the user's data: zones, tools, their entries, tool types and documents. Its rules
// decide what may be stored, for every caller: the API calls them through the Service, which opens the
// transaction; the commands of the AI call them inside the transaction of their session.
package data
