// Package schedule reads schedules and says when they are due. It is pure: no clock,
// no storage; times come in.
//
// A schedule is a cron (five fields), an iCalendar RRULE, a fixed interval or one
// date, in an IANA time zone. Libraries only read the two languages; what an
// expression means on a clock that is put forward and back is decided here, because
// none of them gets it right:
//
//   - A rule in days or longer (DAILY and slower, a cron that leaves out an hour of the
//     day) names local times. One that does not exist is read with the offset before
//     the gap: 02:30 runs at 03:30. One that exists twice runs once, the first time.
//     Two local times that become the same instant run once.
//   - A rule by the hour or oftener (a cron whose hour field allows all 24 hours,
//     HOURLY and MINUTELY, an interval) goes by elapsed time: on the night the clock
//     goes back an hourly one runs 25 times that day, 23 times when it goes forward. A
//     cron runs at each instant at which the local clock shows one of its minutes;
//     HOURLY, MINUTELY and intervals count from starts_at.
//
// "0 */2 * * *" is not by the hour: counted by what the clock shows it would lose the
// run of an hour that is skipped, and at 00:00 that may be the only one in half a day.
//
// Whatever is asked, the work is bounded: nothing is planned before 1970 or from 2200
// on, and an expression that could make it long is refused when it is read.
package schedule
