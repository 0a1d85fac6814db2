// Package longrunning implements connectors of kind "long_running": services that work for seconds
// to hours. An order is one signed request; the service reports progress and the result by
// callbacks, signed with the same secret.
package longrunning
