package domain

import (
	"fmt"
	"time"
)

// MaxMailTo limits the mail addresses that a workspace notifies.
const MaxMailTo = 20

// Notifications configure who is notified of what waits for a person, and when.
type Notifications struct {
	MailTo []string `json:"mail_to"`
	// QuietHours: no notifications are sent then; they are sent once at the end. Nil: none.
	QuietHours *QuietHours `json:"quiet_hours"`
	// ShowContent: mails and pushes contain the question, not only the fact that there is one.
	ShowContent bool `json:"show_content"`
}

// QuietHours are times of the workspace's day, "22:00": from one to another, over midnight if
// the first is the later one.
type QuietHours struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Check refuses what is no time of a day, and hours without an end.
func (q *QuietHours) Check() error {
	if _, _, err := q.clock(); err != nil {
		return Invalid("/notifications/quiet_hours", "wrong_format", "Times of the day are written like 22:00.")
	}
	if q.From == q.To {
		return Invalid("/notifications/quiet_hours/to", "same", "Quiet hours end at another time than they begin.")
	}
	return nil
}

func (q *QuietHours) clock() (from, to time.Time, err error) {
	if from, err = time.Parse("15:04", q.From); err == nil {
		to, err = time.Parse("15:04", q.To)
	}
	if err != nil {
		return from, to, fmt.Errorf("read quiet hours: %w", err)
	}
	return from, to, nil
}

// Around are the quiet hours that an instant lies in, in a zone; false: it lies in none.
func (q *QuietHours) Around(at time.Time, zone *time.Location) (from, to time.Time, quiet bool) {
	if q == nil {
		return from, to, false
	}
	first, last, err := q.clock()
	if err != nil {
		return from, to, false
	}
	local := at.In(zone)
	for day := -1; day <= 0; day++ {
		begin := time.Date(local.Year(), local.Month(), local.Day()+day, first.Hour(), first.Minute(), 0, 0, zone)
		over := 0
		if !last.After(first) {
			over = 1
		}
		end := time.Date(local.Year(), local.Month(), local.Day()+day+over, last.Hour(), last.Minute(), 0, 0, zone)
		if !at.Before(begin) && at.Before(end) {
			return begin, end, true
		}
	}
	return from, to, false
}
