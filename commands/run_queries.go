package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-dev/fermata/commands/origins"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	// parallelQueries bounds how many queries of one answer run at once.
	parallelQueries = 4
	// seriesBytes bounds the results of a series: about 20,000 tokens of 3.5 bytes.
	seriesBytes = 70_000
)

// QueryOutcome is what a series of queries came to, beside the outcome of each.
type QueryOutcome struct {
	Text string // the results, for a message
	// Ask is what the first of the calls of other servers that need something of a person asks. The other calls
	// repeat theirs when it is answered.
	Ask *domain.OutsideAsk
	// CancelTasks are the ids of the tasks that the AI cancels, in order. The caller has them cancelled once this is
	// stored.
	CancelTasks []string
	// Added are the commands whose definitions the session is offered from now on.
	Added []string
}

// RunQueries runs the queries that have no result yet, a few at a time, and sets their outcome. One that
// fails does not stop the others. The answers together are limited; a cut one notes it and how to read on.
// call carries out those of other servers; nil: none can be.
func (c *Catalogue) RunQueries(ctx context.Context, store data.Store, call Caller, env Env, queries []*domain.Execution) QueryOutcome {
	answers, outcome := make([]*answer, len(queries)), QueryOutcome{}
	asks := make([]*domain.OutsideAsk, len(queries))
	var running sync.WaitGroup
	free := make(chan struct{}, parallelQueries)
	for i, e := range queries {
		if e.Status.Final() {
			continue
		}
		running.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			answers[i], asks[i] = c.runQuery(ctx, store, call, env, e)
		})
	}
	running.Wait()
	for i, most := range shares(answers, cmp.Or(env.SeriesBytes, seriesBytes)) {
		if answers[i] != nil {
			settleQuery(ctx, &env, queries[i], answers[i], most)
			if id := answers[i].cancels; id != "" {
				outcome.CancelTasks = append(outcome.CancelTasks, id)
			}
			outcome.Added = append(outcome.Added, answers[i].adds...)
		}
		outcome.Ask = cmp.Or(outcome.Ask, asks[i])
	}
	slices.Sort(outcome.CancelTasks)
	outcome.Text = formatted(queries)
	return outcome
}

// runQuery runs one query. It returns nil if it failed, and what it asks of a person, if anything.
func (c *Catalogue) runQuery(
	ctx context.Context, store data.Store, call Caller, env Env, e *domain.Execution,
) (found *answer, asks *domain.OutsideAsk) {
	started := env.time()
	e.StartedAt, e.Attempt = &started, e.Attempt+1
	// A panic in one query must not take the process down, and with it every session.
	defer func() {
		if r := recover(); r != nil {
			failQuery(&env, e, fmt.Errorf("the query panicked: %v", r))
			found, asks = nil, nil
		}
	}()
	entry := c.entry(&env, e.Command)
	if entry == nil || entry.query == nil {
		failQuery(&env, e, domain.Errorf(domain.Code(codeUnknown), "There is no query %s.", jsonbody.Quote(e.Command)))
		return nil, nil
	}
	within, cancel := context.WithTimeout(ctx, entry.patience())
	defer cancel()
	if err := cmp.Or(entry.forbidden(&env), c.schemas.Check(entry.own, e.Params, "")); err != nil {
		failQuery(&env, e, err)
		return nil, nil
	}
	read := origins.Watch(store)
	defer read.Mark(e)
	target := c.call(read, env, e)
	target.send = call
	if e.Summary == (domain.Text{}) {
		e.Summary = entry.words(within, target)
	}
	a, err := entry.query(within, target)
	if err != nil {
		failQuery(&env, e, timedOut(within, ctx, err, entry.spec))
		return nil, a.ask
	}
	return &a, nil
}

// timedOut replaces the error if the command's own time was up; databases each have another error for it.
func timedOut(within, outer context.Context, err error, spec domain.CommandSpec) error {
	if errors.Is(within.Err(), context.DeadlineExceeded) && outer.Err() == nil {
		return domain.Errorf(domain.Code(codeTimeout), "%s took longer than %s and was stopped. Ask for less.", spec.Name, spec.Timeout)
	}
	return err
}

func failQuery(env *Env, e *domain.Execution, err error) {
	e.Status, e.Error, e.EndedAt = domain.ExecFailed, commandError(err), new(env.time())
	e.Summary = summaryOf(e)
}

func settleQuery(ctx context.Context, env *Env, e *domain.Execution, a *answer, most int) {
	if err := a.cut(ctx, most); err != nil {
		failQuery(env, e, err)
		return
	}
	e.Status, e.EndedAt = domain.ExecSuccess, new(env.time())
	e.Result, e.Text, e.Note = a.result(), a.text(), a.finish()
	if a.unsaid {
		e.Foreign = nil
	}
	if a.count != (domain.Text{}) {
		e.Summary = domain.Say("%s: %s", "%s : %s", e.Summary, a.count)
	}
}

// shares divides the room among the answers: small ones take what they need, and what
// they leave goes to the large ones.
func shares(answers []*answer, room int) []int {
	given := make([]int, len(answers))
	open := 0
	for _, a := range answers {
		if a != nil {
			open++
		}
	}
	for open > 0 {
		each, settled := room/open, 0
		for i, a := range answers {
			if a != nil && given[i] == 0 && a.size() <= each {
				given[i] = a.size()
				room -= given[i]
				settled++
			}
		}
		if open -= settled; settled > 0 {
			continue
		}
		for i, a := range answers {
			if a != nil && given[i] == 0 {
				given[i] = each
			}
		}
		break
	}
	return given
}

// formatted is a series of results as one text.
func formatted(executions []*domain.Execution) string {
	parts := make([]string, 0, len(executions))
	for _, e := range executions {
		part := e.Command + " " + string(e.Status)
		if e.Error != nil {
			part += "\n" + explain(e.Error)
		}
		if e.Text != "" {
			part += "\n" + e.Text
		}
		if e.Note != "" {
			part += "\n(" + e.Note + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n")
}
