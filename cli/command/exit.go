package command

import (
	"errors"
	"net/http"

	"github.com/fermata-dev/fermata/cli/remote"
)

// The exit codes.
const (
	ExitFailed      = 1
	ExitMisused     = 2 // the command line is invalid
	ExitUnreachable = 3 // the server did not respond
	ExitRefused     = 4 // the server rejected the request
)

// ExitWords describe them in the manual page.
const ExitWords = "0: success.\n\n1: failure.\n\n2: the command line is invalid.\n\n" +
	"3: the server did not respond.\n\n4: the server rejected the request."

// usageError: the command line is invalid.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Misused marks an error as one of the command line.
func Misused(err error) error { return usageError{err} }

// ExitCode is the exit code for err; 0 for nil.
func ExitCode(err error) int {
	var misused usageError
	var unreachable *remote.UnreachableError
	var answer *remote.ServerError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &misused):
		return ExitMisused
	case errors.As(err, &unreachable):
		return ExitUnreachable
	case errors.As(err, &answer) && answer.Status >= http.StatusBadRequest && answer.Status < http.StatusInternalServerError:
		return ExitRefused
	}
	return ExitFailed
}
