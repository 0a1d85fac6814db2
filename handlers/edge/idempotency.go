package edge

import (
	"bytes"
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// IdempotencyStore keeps what became of requests that carried an Idempotency-Key, for
// 24 hours. A key is claimed before the request is carried out; what is then written
// under the context that ClaimKey returns notes it as applied, in the same
// transaction. So it is known after a crash whether the request was carried out.
type IdempotencyStore interface {
	// ClaimKey takes the key for a request with this fingerprint, or says what became
	// of the one that has it.
	// An owner with too many keys gets no new one: domain.CodeTooManyKeys.
	ClaimKey(ctx context.Context, ws string, key KeyRequest) (context.Context, *KeyClaim, error)
	// KeepAnswer ends the request: answer is what repeats will get.
	KeepAnswer(ctx context.Context, ws, key string, answer []byte) error
	// KeepRefusal ends a request that was refused: the key is free again, because the
	// refusal can be had again. If something was written under it, answer is kept.
	KeepRefusal(ctx context.Context, ws, key string, answer []byte) error
	// ReleaseKey ends the request without an answer to keep. If something was written
	// under the key, it stays taken, as applied.
	ReleaseKey(ctx context.Context, ws, key string) error
}

// KeyRequest is a request that came with a key.
type KeyRequest struct {
	Name string // of the key and its owner, hashed
	// Former is the name that earlier versions gave the key of every owner in the workspace.
	Former      string
	Fingerprint string // of the request
	Owner       string // the credential that asks
	MaxKeys     int    // of the owner that may be kept; 0: no bound
}

// KeyClaim is what is known of a key. CreatedID and Seq are of what an applied
// request made and of the event at which it shows.
type KeyClaim struct {
	State     domain.RequestState
	Name      string // under which the key is kept, where that is the former name
	Answer    []byte
	CreatedID string
	Seq       int64
}

const maxKeyLength = 255

// Once carries a POST with an Idempotency-Key out a single time. The answer is kept
// before it is sent: a client that has it can rely on it.
func (s *Edge) Once(next http.HandlerFunc, rebuild Rebuilder) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who := Caller(r)
		s.OnceIn(who.Workspace, KeyRequest{Owner: who.Name, MaxKeys: s.maxKeys(who)}, next, rebuild)(w, r)
	}
}

// maxKeys bounds the answers that are kept for one credential. The root key and the open
// server are the operator's own.
func (s *Edge) maxKeys(who *auth.Identity) int {
	if who.Role == domain.RoleRoot {
		return 0
	}
	return s.Limits.KeptAnswers
}

// OnceIn is once for a caller who is known by something else than credentials: from
// says who.
func (s *Edge) OnceIn(workspace string, from KeyRequest, next http.HandlerFunc, rebuild Rebuilder) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		values, given := r.Header["Idempotency-Key"]
		if !given || r.Method != http.MethodPost {
			next(w, r)
			return
		}
		if len(values) != 1 || !validKey(values[0]) {
			s.Fail(
				w,
				r,
				domain.Invalid("/Idempotency-Key", "invalid", "An Idempotency-Key has 1 to %d visible ASCII characters.", maxKeyLength),
			)
			return
		}
		body, err := WholeBody(w, r, bodyLimit(r))
		if err != nil {
			s.Fail(w, r, Unreadable(err))
			return
		}
		r.Body = keep(body)
		k := requestKey{workspace: workspace, text: values[0]}
		asked := from
		asked.Name, asked.Former, asked.Fingerprint = k.of(from.Owner), k.shared(), fingerprint(r, body)
		ctx, claim, err := s.Idempotency.ClaimKey(r.Context(), k.workspace, asked)
		if err != nil {
			s.Fail(w, r, err)
			return
		}
		k.name = cmp.Or(claim.Name, asked.Name)
		switch claim.State {
		case domain.RequestNew:
			s.carryOut(w, r, ctx, k, next)
		case domain.RequestAnswered:
			s.replay(w, r, k, claim)
		case domain.RequestApplied:
			w.Header().Set("Idempotent-Replayed", "true")
			s.carryOut(w, r, r.Context(), k, rebuilt(s, workspace, claim, rebuild, next))
		case domain.RequestMismatch:
			s.Fail(w, r, domain.Errorf(codeIdempotencyMismatch,
				"This Idempotency-Key was used for another request. Use a new key for each thing you want done."))
		default:
			s.Fail(w, r, domain.Errorf(codeIdempotencyInProgress, "The request with this Idempotency-Key is still being carried out."))
		}
	}
}

// Unreadable is a body that did not come whole.
func Unreadable(err error) error {
	var tooLarge *http.MaxBytesError
	var known *domain.Error
	if errors.As(err, &tooLarge) || errors.As(err, &known) || errors.Is(err, context.Canceled) {
		return err
	}
	return domain.Errorf(CodeUnreadable, "The body did not arrive whole.")
}

func validKey(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= maxKeyLength
}

// fingerprint identifies a request by method, address and body.
func fingerprint(r *http.Request, body []byte) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\n%s\n%s\n", r.Method, r.URL.EscapedPath(), r.URL.RawQuery) // a hash takes anything
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// requestKey is an Idempotency-Key of a workspace. The database gets to see its hash
// only, and answers sealed with it: some hold a secret that is shown once.
type requestKey struct {
	workspace, text string
	name            string // under which it is kept
}

// of is the name of the key for one credential. Two credentials that choose the same key
// neither read each other's answers nor occupy each other's keys.
func (k requestKey) of(owner string) string {
	sum := sha256.Sum256([]byte("name of an owner's key\n" + owner + "\n" + k.text))
	return hex.EncodeToString(sum[:])
}

// shared is the name of a key that is the whole workspace's, as earlier versions gave it to every key.
func (k requestKey) shared() string {
	sum := sha256.Sum256([]byte("name\n" + k.text))
	return hex.EncodeToString(sum[:])
}

func (k requestKey) cipher() cipher.AEAD {
	sum := sha256.Sum256([]byte("answer\n" + k.workspace + "\n" + k.text))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		panic(err) // only a key of another size than 32 bytes
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has the block size that GCM wants
	}
	return aead
}

// keptAnswer is an answer as it is stored.
type keptAnswer struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

func (k requestKey) encrypt(a keptAnswer) ([]byte, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	aead := k.cipher()
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(text)+aead.Overhead())
	_, _ = rand.Read(nonce) // ends the program rather than fail
	return aead.Seal(nonce, nonce, text, nil), nil
}

func (k requestKey) decrypt(sealed []byte) (*keptAnswer, error) {
	aead := k.cipher()
	if len(sealed) < aead.NonceSize() {
		return nil, errors.New("open a kept answer: it is too short")
	}
	text, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], nil)
	if err != nil {
		return nil, fmt.Errorf("open a kept answer: %w", err)
	}
	a := &keptAnswer{}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("read a kept answer: %w", err)
	}
	return a, nil
}

// carryOut runs the handler under the context of the key, keeps its answer and sends
// it. The answer itself is kept outside that context: it is no part of what was done.
func (s *Edge) carryOut(w http.ResponseWriter, r *http.Request, claimed context.Context, k requestKey, next http.HandlerFunc) {
	// The client may leave; what was begun is ended all the same.
	ctx := context.WithoutCancel(r.Context())
	a := &recorder{header: w.Header().Clone()}
	ended := false
	defer func() {
		if !ended { // a panic is on its way up
			s.release(ctx, r, k)
		}
	}()
	next(a, r.WithContext(claimed))
	ended = true
	if a.status == 0 && claimed.Err() != nil {
		// The client disconnected before there was a response: nothing to store.
		s.release(ctx, r, k)
		return
	}
	if !a.final() {
		s.release(ctx, r, k)
		a.send(w)
		return
	}
	sealed, err := k.encrypt(keptAnswer{Status: a.status, Header: ownHeaders(a.header, w.Header()), Body: a.body.Bytes()})
	keep := s.Idempotency.KeepAnswer
	if a.status >= 400 {
		keep = s.Idempotency.KeepRefusal
	}
	if err == nil {
		err = keep(ctx, k.workspace, k.name, sealed)
	}
	if err != nil {
		// The store has recorded the change: for a repeat the response is rebuilt, and the request is not run again.
		s.Log.Error().Err(err).Str("request_id", RequestID(r)).Msg("an answer could not be kept for its Idempotency-Key")
	}
	a.send(w)
}

func (s *Edge) release(ctx context.Context, r *http.Request, k requestKey) {
	if err := s.Idempotency.ReleaseKey(ctx, k.workspace, k.name); err != nil {
		s.Log.Warn().Err(err).Str("request_id", RequestID(r)).Msg("an Idempotency-Key could not be released; that is tried again")
	}
}

// ownHeaders returns the headers that the handler set, without those of every response.
func ownHeaders(all, common http.Header) http.Header {
	h := http.Header{}
	for name, values := range all {
		if fmt.Sprint(common[name]) != fmt.Sprint(values) {
			h[name] = values
		}
	}
	return h
}

func (s *Edge) replay(w http.ResponseWriter, r *http.Request, k requestKey, claim *KeyClaim) {
	a, err := k.decrypt(claim.Answer)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	maps.Copy(w.Header(), a.Header)
	w.Header().Set("Idempotent-Replayed", "true")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // the client may have gone
}

// recorder holds an answer back.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recorder) Header() http.Header { return a.header }

func (a *recorder) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}

func (a *recorder) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// final says whether a repetition gets the same answer: not one that says "try again".
func (a *recorder) final() bool {
	a.WriteHeader(http.StatusOK)
	return a.status < 500 && a.header.Get("Retry-After") == ""
}

func (a *recorder) send(w http.ResponseWriter) {
	h := w.Header()
	clear(h)
	maps.Copy(h, a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes()) // the client may have gone
}
