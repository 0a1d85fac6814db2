package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

const (
	// keysFor is how long keys are used without asking whether the issuer still has them.
	keysFor = 15 * time.Minute
	maxKeys = 100
)

var (
	errKeys     = errors.New("the keys cannot be read")
	errNoKey    = errors.New("it is signed with a key that the issuer does not publish")
	errBadSign  = errors.New("its signature is not good")
	errWrongAlg = errors.New("its algorithm is not the one of the key")
)

// algorithms by which tokens may be signed: those with a key that the issuer keeps to itself.
// None of them takes a published key for a secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// keySet are the keys that an issuer publishes. A key's name only finds it: what it may be
// used for is said by the key.
type keySet struct {
	url    string
	client *http.Client
	kept   kept[[]jose.JSONWebKey]
	ahead  atomic.Int64 // the issuer's clock, of ours, when the keys were asked for; nanoseconds
}

func newKeySet(url string, client *http.Client, c clock.Clock) *keySet {
	k := &keySet{url: url, client: client}
	k.kept = kept[[]jose.JSONWebKey]{clock: c, fresh: keysFor, ask: k.fetch}
	return k
}

// verify gives what a token says, once its signature was checked.
func (k *keySet) verify(ctx context.Context, token string) ([]byte, error) {
	jws, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, fmt.Errorf("read the token: %w", err)
	}
	if len(jws.Signatures) != 1 {
		return nil, errBadSign
	}
	header := jws.Signatures[0].Header
	keys, err := k.find(ctx, header.KeyID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errKeys, err)
	}
	wrong := errNoKey
	for i := range keys {
		if !fits(&keys[i], header.Algorithm) {
			wrong = errWrongAlg
			continue
		}
		payload, err := jws.Verify(&keys[i])
		if err == nil {
			return payload, nil
		}
		wrong = errBadSign
	}
	return nil, wrong
}

// fits says whether a key is for signatures by this algorithm. One that does not name its
// algorithm takes those of its kind, of which none is symmetric.
func fits(key *jose.JSONWebKey, algorithm string) bool {
	return (key.Use == "" || key.Use == "sig") && (key.Algorithm == "" || key.Algorithm == algorithm)
}

// find gives the keys of a name, or all of them to a token that names none.
func (k *keySet) find(ctx context.Context, name string) ([]jose.JSONWebKey, error) {
	keys, err := k.kept.get(ctx, func(keys []jose.JSONWebKey) bool { return len(named(keys, name)) > 0 })
	if err != nil {
		return nil, err
	}
	return named(keys, name), nil
}

func named(keys []jose.JSONWebKey, name string) (found []jose.JSONWebKey) {
	for _, key := range keys {
		if name == "" || key.KeyID == name {
			found = append(found, key)
		}
	}
	return found
}

// fetch asks the issuer for its keys.
func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	text, header, err := get(ctx, k.client, k.url)
	if err != nil {
		return nil, fmt.Errorf("ask for the keys: %w", err)
	}
	if len(text) == 0 {
		return nil, fmt.Errorf("read the keys: %w", io.ErrUnexpectedEOF)
	}
	// What came out of a cache is of another time.
	if date, err := http.ParseTime(header.Get("Date")); err == nil && header.Get("Age") == "" {
		k.ahead.Store(int64(date.Sub(k.kept.clock())))
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := exactjson.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	return publicKeys(set.Keys), nil
}

// get reads what an issuer answers at an address.
func get(ctx context.Context, client *http.Client, address string) (text []byte, header http.Header, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("make a request for %q: %w", address, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("send the request: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	if response.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("the issuer answers %d", response.StatusCode)
	}
	if text, err = io.ReadAll(response.Body); err != nil {
		return nil, nil, fmt.Errorf("read the answer: %w", err)
	}
	return text, response.Header, nil
}

// publicKeys reads those that can be used; an issuer may publish others beside them.
func publicKeys(raw []json.RawMessage) (keys []jose.JSONWebKey) {
	for _, text := range raw {
		var key jose.JSONWebKey
		if len(keys) < maxKeys && key.UnmarshalJSON(text) == nil && key.Valid() && key.IsPublic() {
			keys = append(keys, key)
		}
	}
	return keys
}
