// Package automation holds automations: what starts their runs, the occurrences of their schedules, and what a decision about
// one of them reads and writes.
package automation
