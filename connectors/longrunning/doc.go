// Package longrunning is the connector of kind "long_running": a service of one's own that
// works for seconds to hours. It is asked with one signed request, and calls back, signed
// with the same secret, when it comes on and when it has ended.
package longrunning
