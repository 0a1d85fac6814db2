// Package lifecycle starts services in order and stops them in reverse order. Every goroutine belongs to a
// Service, and Stop waits for it.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
)

// Service is a component with a lifetime. Start returns once it is ready; Stop waits until all its
// goroutines have ended, or until ctx is done. A Service is started once.
type Service interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
}

// Named is a service with its name in logs and errors.
type Named struct {
	Name    string
	Service Service
}

// Group is a Service that consists of services, started in order and stopped in reverse order.
type Group struct {
	services []Named
	started  int
}

// Add appends a service. It must not be called after Start.
func (g *Group) Add(name string, s Service) { g.services = append(g.services, Named{name, s}) }

// Start starts all services; if one fails, those already started are stopped again.
func (g *Group) Start(ctx context.Context) error {
	for _, s := range g.services {
		if err := s.Service.Start(ctx); err != nil {
			return errors.Join(fmt.Errorf("start %s: %w", s.Name, err), g.Stop(ctx))
		}
		g.started++
	}
	return nil
}

// Stop stops all started services in reverse order, and returns all their errors.
func (g *Group) Stop(ctx context.Context) error {
	var all []error
	for g.started > 0 {
		g.started--
		s := g.services[g.started]
		if err := s.Service.Stop(ctx); err != nil {
			all = append(all, fmt.Errorf("stop %s: %w", s.Name, err))
		}
	}
	return errors.Join(all...)
}

// Func is a Service made of two functions; either may be nil.
type Func struct {
	OnStart func(ctx context.Context) error
	OnStop  func(ctx context.Context) error
}

func (f Func) Start(ctx context.Context) error {
	if f.OnStart == nil {
		return nil
	}
	return f.OnStart(ctx)
}

func (f Func) Stop(ctx context.Context) error {
	if f.OnStop == nil {
		return nil
	}
	return f.OnStop(ctx)
}
