// Package egress is the client for all outgoing requests, and the policy of the hosts they may reach.
package egress
