package telemetry

import (
	"sync"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// maxExternalLabels is the number of names of connectors' and agents' commands that become label
// values in the lifetime of a process. Each name makes about twenty series.
const maxExternalLabels = 200

// commandNames decides which command names appear in metrics and in the process log. A model can
// call any name, so only the names of commands that exist are used.
type commandNames struct {
	builtIn map[string]bool

	mu       sync.Mutex
	external map[string]bool // names used as label values so far, at most maxExternalLabels
}

func newCommandNames(builtIn []domain.CommandSpec) *commandNames {
	n := &commandNames{builtIn: map[string]bool{}, external: map[string]bool{}}
	for _, spec := range builtIn {
		n.builtIn[spec.Name] = true
	}
	return n
}

// logged returns the name of an execution's command for the process log, or "other" if no such
// command exists.
func (n *commandNames) logged(e *domain.Execution) string {
	if n.builtIn[e.Command] || e.Foreign != nil {
		return shorten.Characters(e.Command, maxLoggedName)
	}
	return otherLabel
}

// label returns the same name as a label value: the first maxExternalLabels names of external
// commands, and "other" for those that follow.
func (n *commandNames) label(e *domain.Execution) string {
	name := n.logged(e)
	if n.builtIn[name] || name == otherLabel {
		return name
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.external[name] {
		if len(n.external) == maxExternalLabels {
			return otherLabel
		}
		n.external[name] = true
	}
	return name
}
