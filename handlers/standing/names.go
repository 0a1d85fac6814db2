package standing

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/lately"
)

// Names remembers which sessions clients mean by names of their own. A session keeps its name for
// as long as it is there, and nothing is sent to one that is gone: a message that is refused is
// looked up as if nothing were remembered.
type Names struct{ known *lately.Memory[name, string] }

type name struct{ workspace, of string }

// namesLast is how long a name is remembered that is used.
const namesLast = time.Minute

// NewNames makes a memory without names.
func NewNames(c clock.Clock) *Names {
	return &Names{lately.New[name, string](c, namesLast)}
}

// ByName finds sessions by names that are not ours.
type ByName interface {
	SessionByExternalID(ctx context.Context, ws, externalID string) (*domain.Session, error)
}

// Session is the id of the session that clients of a workspace know by a name. It may be gone by now.
func (n *Names) Session(ctx context.Context, record ByName, workspace, of string) (string, error) {
	return n.known.Get(name{workspace, of}, func() (string, bool, error) {
		s, err := record.SessionByExternalID(ctx, workspace, of)
		if err != nil {
			return "", false, err
		}
		return s.ID, true, nil
	})
}

// Refused is told of a message that the session of a name did not take: it may be gone.
func (n *Names) Refused(workspace, of string, err error) {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		n.known.ForgetOne(name{workspace, of})
	}
}
