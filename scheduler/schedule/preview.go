package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain/automation"
)

// MaxPreview is how many occurrences a preview shows at most.
const MaxPreview = 100

// Preview describes a schedule and lists its next occurrences after an instant. A schedule without a start
// is read as if it were created then.
func Preview(s automation.Schedule, after time.Time, count int, language string) (*automation.SchedulePreview, error) {
	s, err := Anchored(s, after)
	if err != nil {
		return nil, err
	}
	p, err := Parse(s)
	if err != nil {
		return nil, err
	}
	l := languageOf(language)
	preview := &automation.SchedulePreview{Description: p.words(s.Expression, l)}
	for _, at := range p.Between(after, time.Unix(latest, 0), min(count, MaxPreview)) {
		preview.Next = append(
			preview.Next,
			automation.PlannedRun{At: at, Local: at.In(p.zone).Format(time.RFC3339), Note: p.note(at.Unix(), l)},
		)
	}
	return preview, nil
}

// note describes a clock change on the local day of an occurrence, and its effect. Empty on other days.
func (p *Plan) note(at int64, l *words) string {
	today := wallDay(p.zone, at)
	var said []string
	for s := spanAt(p.zone, at-2*day); s.until <= at+2*day; {
		next := spanAt(p.zone, s.until)
		was, is := s.until+s.offset, s.until+next.offset
		if was != is && (floorDiv(was-1, day) == today || floorDiv(is, day) == today) {
			said = append(said, change(was, is, l))
			if moved := p.moved(at, s, next, l); moved != "" {
				said = append(said, moved)
			}
		}
		s = next
	}
	return strings.Join(said, " ")
}

func change(was, is int64, l *words) string {
	layout := "15:04"
	if was-is >= day || is-was >= day {
		layout = "2006-01-02 15:04"
	}
	form := l.forward
	if is < was {
		form = l.back
	}
	return fmt.Sprintf(form, shownAs(was, layout), shownAs(is, layout))
}

// moved describes the effect on a local time that the change skips or repeats. Schedules by elapsed time
// have none.
func (p *Plan) moved(at int64, before, after span, l *words) string {
	local, ok := p.rule.(interface{ named(wall int64) bool })
	if !ok {
		return ""
	}
	wall := at + before.offset
	switch {
	case at < before.until:
		if wall-after.offset >= before.until && wall-after.offset < after.until {
			return fmt.Sprintf(l.twice, shownAs(wall, "15:04"))
		}
	case at < before.until+after.offset-before.offset && local.named(wall) && !local.named(at+after.offset):
		return fmt.Sprintf(l.skipped, shownAs(wall, "15:04"), shownAs(at+after.offset, "15:04"))
	}
	return ""
}

// shownAs writes a local time.
func shownAs(wall int64, layout string) string { return time.Unix(wall, 0).UTC().Format(layout) }
