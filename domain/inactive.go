package domain

import "time"

// InactiveSince is since when a session that is not at work counts as inactive: in a
// wait since the person's last word, else since its last event.
func (s *Session) InactiveSince() time.Time {
	if s.Phase.Waiting() && s.LastUserInteractionTime != nil {
		return *s.LastUserInteractionTime
	}
	return s.LastEventTime
}

// InactiveAt is when a session that is not at work has been inactive for so long that it
// may be evicted.
func (s *Session) InactiveAt(settings *Settings) time.Time {
	return s.InactiveSince().Add(time.Duration(settings.ChatEvictionAfter))
}

// ChatRest is how long a CHAT rests in IDLE before a CHAT that was set aside in the middle of its
// work has the slot again: so long that a program which talks sends its next message within it.
const ChatRest = 2 * time.Second

// GivesWayAt is when an inactive CHAT releases the slot to a session that no person is currently waiting
// for.
func (s *Session) GivesWayAt(to *Session, settings *Settings) time.Time {
	at := s.InactiveAt(settings)
	if rested := s.LastEventTime.Add(ChatRest); to.Type == Chat && s.Phase == Idle && rested.Before(at) {
		return rested
	}
	return at
}
