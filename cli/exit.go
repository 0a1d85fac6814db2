package cli

import (
	"errors"
	"net/http"
)

// What a command's end says to the program that started it.
const (
	exitFailed      = 1
	exitMisused     = 2 // the command line itself is wrong
	exitUnreachable = 3 // no server answered
	exitRefused     = 4 // the server answered that it does not do it
)

// exitWords are the same for a manual.
const exitWords = "0: done.\n\n1: failed.\n\n2: the command line itself is wrong.\n\n" +
	"3: no server answered.\n\n4: the server refused."

// usageError: the command line cannot be read.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// ExitCode is what the process ends with after err; 0 where there is none.
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
