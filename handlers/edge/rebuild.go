package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/fermata-dev/fermata/domain"
)

// Rebuilder answers a request that was carried out by a process that died before its
// answer was kept. It is never carried out again: the answer is made of what is there
// now.
type Rebuilder func(r *http.Request, ws string, claim *KeyClaim) (status int, body any, err error)

// RunAgain is for a person's decision, which goes to its handler once more: the same
// decision twice is one, and gives the recorded answer.
func RunAgain(*http.Request, string, *KeyClaim) (status int, body any, err error) {
	return 0, nil, errAgain
}

var errAgain = errors.New("carry the request out once more")

// appliedOnly is for what shows nothing of itself afterwards.
func appliedOnly(*http.Request, string, *KeyClaim) (status int, body any, err error) {
	return 0, nil, &domain.Error{
		Code: domain.CodeConflict, Outcome: domain.Applied,
		Message: "This request was carried out, and its answer was lost when the server stopped. " +
			"Look at what is there; it is not carried out again.",
	}
}

// rebuilt makes the handler of a request that was carried out.
func rebuilt(s *Edge, ws string, claim *KeyClaim, rebuild Rebuilder, next http.HandlerFunc) http.HandlerFunc {
	if rebuild == nil {
		rebuild = appliedOnly
	}
	return func(w http.ResponseWriter, r *http.Request) {
		status, body, err := rebuild(r, ws, claim)
		if errors.Is(err, errAgain) {
			next(w, r)
			return
		}
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		text, err := json.Marshal(body)
		if err != nil {
			s.Fail(w, r, fmt.Errorf("encode a rebuilt answer: %w", err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(append(text, '\n')) // into memory
	}
}

// RebuildCreated is the answer about what a request made, if it is known what.
func RebuildCreated[T, A any](
	r *http.Request, ws string, claim *KeyClaim, read func(id string) (*T, error), to func(*T) A,
) (status int, body any, err error) {
	if claim.CreatedID == "" {
		return appliedOnly(r, ws, claim)
	}
	found, err := read(claim.CreatedID)
	if err != nil {
		return 0, nil, fmt.Errorf("read what was made for a rebuilt answer: %w", err)
	}
	return http.StatusCreated, to(found), nil
}

// RebuildCurrent is the answer about something that was there before the request.
func RebuildCurrent[T, A any](found *T, err error, to func(*T) A) (status int, body any, _ error) {
	if err != nil {
		return 0, nil, fmt.Errorf("read what was changed for a rebuilt answer: %w", err)
	}
	return http.StatusOK, to(found), nil
}
