package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Protocol is an address of another protocol to the same sessions. Who calls was found out, and
// the body is JSON within its ceilings; a GET has none. Who is done with the body before the
// answer is over closes that of the request, so that others have its room.
type Protocol interface {
	// Serve answers. An error is one that came before anything was written.
	Serve(w http.ResponseWriter, r *http.Request, who *auth.Identity, body []byte) error
	// Refuse writes an error in the form of the protocol.
	Refuse(w http.ResponseWriter, f *api.Failure)
}

// userNamer is a protocol whose requests can name the user for whom a program acts.
type userNamer interface {
	// UserOf returns the user whom a body names, and where; "" if it names none.
	UserOf(body []byte) (user, pointer string, err error)
}

// ProtocolRoute is the route of another protocol, with the role that it requires.
type ProtocolRoute struct {
	Method   string
	Pattern  string
	Role     domain.Role
	Protocol Protocol
	// Bodyless requests need no body, independently of their method.
	Bodyless bool
	// Small: the door takes little memory while it works, because it reads no pages of the record.
	Small bool
}

// doors are protocols by their addresses, for errors that come before the route is known.
type doors map[string]Protocol

// doorsOf indexes protocols by address, without the parameters at its end.
func doorsOf(routes []ProtocolRoute) doors {
	all := make(doors, len(routes))
	for _, d := range routes {
		address := d.Pattern
		if at := strings.IndexAny(address, "{*"); at >= 0 {
			address = address[:at]
		}
		all[address] = d.Protocol
	}
	return all
}

// at is the door of an address; nil for one of the API.
func (d doors) at(path string) Protocol {
	if door := d[path]; door != nil {
		return door
	}
	for address, door := range d {
		if strings.HasSuffix(address, "/") && strings.HasPrefix(path, address) {
			return door
		}
	}
	return nil
}

// ThroughProtocol makes the handler of a door. An answer may take as long as a session waits:
// it counts among the streams of its caller.
func (s *Edge) ThroughProtocol(d ProtocolRoute) http.HandlerFunc {
	return s.RequireRole(d.Role, func(w http.ResponseWriter, r *http.Request) {
		body, err := protocolBody(s, w, r, d)
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		ctx, stop, err := actForUser(s, w, r, d.Protocol, body)
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		defer stop()
		r = r.WithContext(ctx)
		ceilings := s.Ceilings(r)
		if reached := s.OpenStreams.Enter(ceilings); reached != nil {
			s.Fail(w, r, TooManyStreams(w, reached))
			return
		}
		defer s.OpenStreams.Leave(ceilings)
		room := int64(PageRoom)
		if d.Small {
			room = chatRoom
		}
		if err := exchangeOf(r).enterDoor(r, room); err != nil {
			s.Fail(w, r, err)
			return
		}
		defer exchangeOf(r).leaveDoor()
		if body != nil { // of a GET a door reads it itself: openai-go says there that it wants a stream
			r.Body = readBodyOf{http.NoBody, &exchangeOf(r).body}
		}
		// A server's ReadTimeout would count as the caller having left.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // all is read
		if err := d.Protocol.Serve(w, r, Caller(r), body); err != nil {
			s.Fail(w, r, err)
		}
	})
}

// actForUser makes the user whom a body names the caller of the request, with their rate, if the caller's key may act for users.
func actForUser(s *Edge, w http.ResponseWriter, r *http.Request, p Protocol, body []byte) (ctx context.Context, stop func(), err error) {
	ctx, stop = r.Context(), func() {}
	namer, names := p.(userNamer)
	who := Caller(r)
	if !names || who.Key == nil || who.Key.ActsFor == "" {
		return ctx, stop, nil
	}
	user, pointer, err := namer.UserOf(body)
	if err != nil || user == "" {
		return ctx, stop, err
	}
	acting, err := s.Auth.ActFor(ctx, who, user, pointer)
	if err != nil || acting == who {
		return ctx, stop, err //nolint:wrapcheck // a domain error
	}
	exchangeOf(r).who = acting
	if err := spend(s, w, r, acting); err != nil {
		return ctx, stop, err
	}
	ctx, stop = s.watch(ctx, acting)
	return ctx, stop, nil
}

// protocolBody reads the body of a request that has one.
func protocolBody(s *Edge, w http.ResponseWriter, r *http.Request, d ProtocolRoute) ([]byte, error) {
	if Safe(r.Method) || d.Bodyless {
		return nil, nil
	}
	if err := CheckEncoding(w, r); err != nil {
		return nil, err
	}
	body, err := readBody(w, r)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, domain.Errorf(CodeEmptyBody, "This call needs a JSON object as its body.")
	}
	if len(body) >= Large {
		room, err := s.RoomForWork(w, r)
		if err != nil {
			return nil, err
		}
		defer room.Release()
	}
	return DecodeAny(body, jsonbody.Rules{Bytes: int(bodyLimit(r))})
}

// readBodyOf is the body of a request that was read; closing it gives back its room.
type readBodyOf struct {
	io.Reader
	body *arriving
}

func (b readBodyOf) Close() error {
	b.body.release()
	return nil
}

// DecisionOf reads an answer to an approval of a kind that came through another protocol, as
// strictly as the API does: what it does not know may be what the answer hangs on. Only null is
// nothing there, as clients write it whose forms have fields that were left empty.
func DecisionOf(answer json.RawMessage, kind domain.ApprovalKind) (domain.Decision, error) {
	var fields map[string]json.RawMessage
	if jsonbody.Unmarshal(answer, &fields) == nil && fields != nil {
		maps.DeleteFunc(fields, func(name string, value json.RawMessage) bool { return name != "value" && string(value) == "null" })
		answer = jsonbody.Encode(fields)
	}
	var in api.ApprovalAnswer
	if err := Decode(answer, &in); err != nil {
		return domain.Decision{}, err
	}
	return in.Domain(kind)
}

// FailureOf says what a client may know of an error.
func FailureOf(err error) *api.Failure { return problemOf(err).failure() }

func (p *problem) failure() *api.Failure {
	return &api.Failure{
		Status: p.Status, Code: p.Code, Message: p.Detail, RequestID: p.RequestID, Retryable: p.Retryable, Outcome: p.Outcome,
		Fields: p.Errors, RetryAfter: ProblemKinds[p.Code].RetryAfter,
	}
}
