package edge

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// FirstReply returns the response to the first request with this answer, which is stored for a day: a repeated
// request gets the same response, even if the session has changed since. If that response was lost before it was
// stored, the next one takes its place. answer has a space in it, which no client's key has.
func (s *Edge) FirstReply(r *http.Request, workspace, answer string, reply []byte) []byte {
	ctx := context.WithoutCancel(r.Context()) // stored even if the client disconnects: it may retry
	k := requestKey{workspace: workspace, text: answer}
	k.name = k.shared()
	kept, err := s.keptReply(ctx, k, reply)
	if err != nil {
		s.Log.Warn().Err(err).Str("request_id", RequestID(r)).
			Msg("the reply to an approval's answer could not be kept; the same answer again may get another one")
		return reply
	}
	return kept
}

// replyPause and replyTries bound the wait for a reply that another request is about to keep.
const (
	replyPause = 20 * time.Millisecond
	replyTries = 50
)

// keptReply keeps a reply under a key, or says which one is there. Of those who come at once the
// others wait for the one that keeps its own; if that one is gone, each gets its own.
func (s *Edge) keptReply(ctx context.Context, k requestKey, reply []byte) ([]byte, error) {
	_, claim, err := s.Idempotency.ClaimKey(ctx, k.workspace, KeyRequest{Name: k.name})
	for tries := 0; err == nil && claim.State == domain.RequestRunning && tries < replyTries; tries++ {
		time.Sleep(replyPause)
		_, claim, err = s.Idempotency.ClaimKey(ctx, k.workspace, KeyRequest{Name: k.name})
	}
	switch {
	case err != nil:
		return nil, err
	case claim.State == domain.RequestAnswered:
		kept, err := k.decrypt(claim.Answer)
		if err != nil {
			return nil, err
		}
		return kept.Body, nil
	case claim.State != domain.RequestNew:
		return reply, nil
	}
	sealed, err := k.encrypt(keptAnswer{Status: http.StatusOK, Body: reply})
	if err != nil {
		return nil, err
	}
	return reply, s.Idempotency.KeepAnswer(ctx, k.workspace, k.name, sealed)
}
