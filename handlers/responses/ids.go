package responses

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// The id of a response contains the ids of the session and of the message that began its round, or of
// the message with tool results, so that no table is needed to find them.
const (
	prefixResponse = "resp_"
	prefixResults  = "of_" // follows the digits of the session
	idDigits       = 32
)

func responseID(session, message string) string {
	return prefixResponse + strings.TrimPrefix(session, domain.PrefixSession+"_") + strings.TrimPrefix(message, domain.PrefixMessage+"_")
}

// readResponseID decodes the id of a response.
func readResponseID(id string) (session, message string, ok bool) {
	digits, ok := strings.CutPrefix(id, prefixResponse)
	if !ok || len(digits) < idDigits {
		return "", "", false
	}
	session, message = digits[:idDigits], digits[idDigits:]
	digits = session + strings.TrimPrefix(message, prefixResults)
	if len(digits) != 2*idDigits || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", "", false
	}
	return domain.PrefixSession + "_" + session, domain.PrefixMessage + "_" + message, true
}

// findMessage reads the session and the message of a response. Missing responses and those of another
// workspace are indistinguishable.
func (c *Config) findMessage(ctx context.Context, x *rounds.Round, id string) (*domain.Session, *domain.Message, error) {
	session, message, ok := readResponseID(id)
	if !ok {
		return nil, nil, errNoResponse
	}
	if approval, ok := domain.ClientResultsOf(message); ok {
		return c.findResults(ctx, x.Caller.Workspace, session, approval)
	}
	s, m, err := x.StoredMessage(ctx, session, message)
	if err == nil && (m == nil || m.Sender != domain.SenderUser || m.Rich == nil) {
		err = errNoResponse
	}
	return s, m, err
}

var errNoResponse = domain.NotFound("response")

// findResults reads the session and the message of submitted results. Until the session has the
// slot, the message has only its id.
func (c *Config) findResults(ctx context.Context, workspace, session, approval string) (*domain.Session, *domain.Message, error) {
	asked, err := c.Approvals.Approval(ctx, workspace, approval)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
		return nil, nil, errNoResponse
	case err != nil:
		return nil, nil, err
	case asked.Kind != domain.ApprovalClientCalls || asked.SessionID != session || asked.Status != domain.ApprovalStatusApproved:
		return nil, nil, errNoResponse
	}
	return rounds.ResultsMessage(ctx, c.Record, asked)
}
