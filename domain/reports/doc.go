// Package reports holds what people and operators read about the past and present of sessions: the timeline, sums of the use
// of AI, figures of the whole server, its nodes.
package reports
