package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
)

// translate maps a driver's error to a domain error. Domain errors and sql.ErrNoRows are returned
// unchanged.
func (d *Dialect) translate(ctx context.Context, err error) error {
	var known *domain.Error
	switch {
	case err == nil, errors.Is(err, sql.ErrNoRows), errors.As(err, &known), errors.Is(err, domain.ErrStale):
		return err
	case ctx.Err() != nil:
		// The driver has its own error for a cancelled statement.
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	e := &domain.Error{Outcome: domain.NotApplied, Err: err}
	switch d.classify(err) {
	case retryable, busy:
		e.Code, e.Message = domain.CodeDatabaseBusy, "The database is busy. Nothing was written; try again in a moment."
	case duplicate:
		e.Code, e.Message = domain.CodeConflict, "This exists already. Nothing was written."
	case dangling:
		e.Code, e.Message = domain.CodeConflict, "This refers to something that is not there, or something else still refers to it. "+
			"Nothing was written."
	case full:
		e.Code, e.Message = domain.CodeStorageFull, "The database has no room left. Nothing was written; reading still works."
	case readOnly:
		e.Code, e.Message = domain.CodeUnavailable, "The database takes no writes at the moment: it is a standby, or was made read-only. "+
			"Nothing was written; try again in a moment."
	case gone:
		e.Code, e.Message = domain.CodeUnavailable, "The database cannot be reached. Nothing was written."
	default:
		return err
	}
	return e
}

// errUnknown is returned if the outcome of a commit could not be determined.
func errUnknown(err error) error {
	return &domain.Error{
		Code: domain.CodeOutcomeUnknown, Outcome: domain.OutcomeUnknown, Err: err,
		Message: "The connection to the database was lost while the change was being stored, and its outcome could not be determined. " +
			"Check before you try again.",
	}
}
