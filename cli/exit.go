package cli

import (
	"errors"
	"net/http"
)

// The exit codes.
const (
	exitFailed      = 1
	exitMisused     = 2 // the command line is invalid
	exitUnreachable = 3 // the server did not respond
	exitRefused     = 4 // the server rejected the request
)

// exitWords describe them in the manual page.
const exitWords = "0: success.\n\n1: failure.\n\n2: the command line is invalid.\n\n" +
	"3: the server did not respond.\n\n4: the server rejected the request."

// usageError: the command line is invalid.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// ExitCode is the exit code for err; 0 for nil.
func ExitCode(err error) int {
	var misused usageError
	var unreachable *unreachableError
	var answer *serverError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &misused):
		return exitMisused
	case errors.As(err, &unreachable):
		return exitUnreachable
	case errors.As(err, &answer) && answer.Status >= http.StatusBadRequest && answer.Status < http.StatusInternalServerError:
		return exitRefused
	}
	return exitFailed
}
