package schedule

import (
	"math"
	"strings"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	// farthest is more than any zone is from UTC, or any clock was ever moved.
	farthest = 26 * hour
)

// zones keeps what was loaded: LoadLocation reads a file each time. Only zones that
// exist are kept, so it cannot grow beyond them.
var zones sync.Map

// loadZone loads an IANA zone by name. The machine's own zone, and the copies some
// systems keep of all zones with other rules, are not zones here: a schedule must mean
// the same on every machine.
func loadZone(name string) (*time.Location, error) {
	if known, ok := zones.Load(name); ok {
		return known.(*time.Location), nil
	}
	if name == "" {
		return nil, domain.Invalid("/time_zone", "required", "A schedule needs a time zone, like Europe/Paris or UTC.")
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" || name == "localtime" || name == "posixrules" ||
		strings.HasPrefix(name, "posix/") || strings.HasPrefix(name, "right/") {
		return nil, domain.Invalid(
			"/time_zone",
			"unknown",
			"%q is not a time zone: write its IANA name, like Europe/Paris or UTC.",
			clip(name),
		)
	}
	zones.Store(name, zone)
	return zone, nil
}

// span is a stretch of time in which a zone's clock is not moved, in Unix seconds:
// from included, until not.
type span struct {
	from, until, offset int64
}

func spanAt(zone *time.Location, at int64) span {
	t := time.Unix(at, 0).In(zone)
	_, offset := t.Zone()
	s := span{from: math.MinInt64, until: math.MaxInt64, offset: int64(offset)}
	from, until := t.ZoneBounds()
	if !from.IsZero() {
		s.from = from.Unix()
	}
	if !until.IsZero() {
		s.until = until.Unix()
	}
	// ZoneBounds counts 365 days for every year: on 31 December of a leap year its end is already over. No
	// clock changes before the year ends.
	if s.until <= at {
		s.until = time.Date(t.UTC().Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
	}
	return s
}

// resolve returns the instant of a local time. wall is that local time, as the Unix seconds it would be in
// UTC. A time that exists twice is its first occurrence; one that does not exist is read with the offset
// before the gap.
func resolve(zone *time.Location, wall int64) int64 {
	s := spanAt(zone, wall-farthest)
	for {
		at := wall - s.offset
		if at < s.until {
			return at // not before s.from: the last span would have had it, or the gap
		}
		next := spanAt(zone, s.until)
		if wall-next.offset < next.from {
			return at
		}
		s = next
	}
}

// wallDay is the local day of an instant, in days since 1970-01-01.
func wallDay(zone *time.Location, at int64) int64 {
	return floorDiv(at+spanAt(zone, at).offset, day)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// clip shortens what is quoted back.
func clip(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}
