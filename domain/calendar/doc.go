// Package calendar resolves the dates of a workspace: its zone, where its days and weeks begin, and periods such as "last
// week" as seen from an instant. It reads no clock.
package calendar
