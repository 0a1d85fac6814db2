// Package automations stores automations with their schedules' occurrences, their grants and their
// webhooks. Their runs are sessions, which package repository stores.
package automations
