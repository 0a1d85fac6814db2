package lifecycle

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// part notes when it is started and stopped.
func part(log *[]string, name string, fails error) Service {
	return Func{
		OnStart: func(context.Context) error { *log = append(*log, "start "+name); return fails },
		OnStop:  func(context.Context) error { *log = append(*log, "stop "+name); return nil },
	}
}

func TestPartsStopInReverse(t *testing.T) {
	var log []string
	var g Group
	for _, name := range []string{"database", "loop", "http"} {
		g.Add(name, part(&log, name, nil))
	}
	if err := g.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // stopping twice stops once
		if err := g.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"start database", "start loop", "start http", "stop http", "stop loop", "stop database"}
	if !slices.Equal(log, want) {
		t.Errorf("the order was %v, want %v", log, want)
	}
}

// What was started before the part that failed must not go on running.
func TestAFailedStartStopsWhatRan(t *testing.T) {
	var log []string
	var g Group
	g.Add("database", part(&log, "database", nil))
	g.Add("http", part(&log, "http", errors.New("the port is taken")))
	g.Add("never", part(&log, "never", nil))
	err := g.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "start http: the port is taken") {
		t.Errorf("the error is %v", err)
	}
	if want := []string{"start database", "start http", "stop database"}; !slices.Equal(log, want) {
		t.Errorf("the order was %v, want %v", log, want)
	}
}

func TestEveryFailureToStopIsReported(t *testing.T) {
	var g Group
	for _, name := range []string{"a", "b"} {
		g.Add(name, Func{OnStop: func(context.Context) error { return errors.New(name + " hangs") }})
	}
	if err := g.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := g.Stop(t.Context())
	if err == nil || !strings.Contains(err.Error(), "stop b: b hangs") || !strings.Contains(err.Error(), "stop a: a hangs") {
		t.Errorf("the error is %v", err)
	}
}
