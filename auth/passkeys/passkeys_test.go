package passkeys

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/internal/testkit/device"
)

// memory is a store without a database.
type memory struct {
	all   []*people.Passkey
	begun map[string]*people.PasskeyRegistration
}

func (m *memory) Passkeys(_ context.Context, workspace, owner string) (mine []*people.Passkey, err error) {
	for _, p := range m.all {
		if p.WorkspaceID == workspace && p.Owner == owner {
			mine = append(mine, p)
		}
	}
	return mine, nil
}

func (m *memory) BeginPasskey(_ context.Context, r *people.PasskeyRegistration) error {
	m.begun[r.WorkspaceID+r.Owner] = r
	return nil
}

func (m *memory) PasskeyRegistration(_ context.Context, workspace, owner string) (*people.PasskeyRegistration, error) {
	if r := m.begun[workspace+owner]; r != nil {
		return r, nil
	}
	return nil, domain.NotFound("registration")
}

func (m *memory) InsertPasskey(_ context.Context, p *people.Passkey, _ string, _ int, use *domain.PasskeyUse) error {
	delete(m.begun, p.WorkspaceID+p.Owner)
	m.all = append(m.all, p)
	if use != nil {
		m.used(*use)
	}
	return nil
}

func (m *memory) used(u domain.PasskeyUse) {
	for _, p := range m.all {
		if p.ID == u.PasskeyID {
			p.SignCount = u.SignCount
		}
	}
}

func (m *memory) RevokePasskey(_ context.Context, _, _, id string, at time.Time) error {
	for _, p := range m.all {
		if p.ID == id {
			p.RevokedAt = &at
		}
	}
	return nil
}

func (m *memory) ForgetPasskeys(_ context.Context, _, owner string) error {
	m.all = nil
	return nil
}

const page = "https://fermata.example"

var t0 = time.Date(2026, 3, 2, 12, 0, 0, 123456789, time.UTC)

// world is a service with its own time.
type world struct {
	*testing.T
	*Service
	store *memory
	now   time.Time
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, store: &memory{begun: map[string]*people.PasskeyRegistration{}}, now: t0}
	w.Service = &Service{Store: w.store, Address: func() string { return page }, Clock: func() time.Time { return w.now }, NewID: ids.New}
	return w
}

var ada, ben = domain.Author{ID: "usr_ada", Name: "Ada"}, domain.Author{ID: "usr_ben", Name: "Ben"}

// device registers a passkey for a person.
func (w *world) device(who domain.Author) *device.Device {
	w.Helper()
	d := &device.Device{Origin: page}
	begun, err := w.Begin(w.Context(), "default", who)
	if err != nil {
		w.Fatal(err)
	}
	if _, err = w.Finish(w.Context(), "default", who, people.NewPasskey{Name: "phone", Credential: d.Make(w, begun.PublicKey)}); err != nil {
		w.Fatal(err)
	}
	return d
}

func approval(id string) *domain.Approval {
	return &domain.Approval{ID: id, WorkspaceID: "default", Actions: []domain.ApprovalAction{{ID: "exe_1", Command: "BANK.PAY", Digest: "d1", Sensitive: true}}}
}

// asks returns what has to be signed to approve.
func (w *world) asks(who domain.Author, a *domain.Approval) *domain.PasskeyRequest {
	w.Helper()
	_, err := w.Approve(w.Context(), a, who, a.Actions, nil)
	known := w.refused(err, domain.CodePasskeyRequired, "")
	if known.Passkey == nil {
		w.Fatalf("nothing is there to sign: %v", err)
	}
	return known.Passkey
}

func (w *world) refused(err error, code domain.Code, field string) *domain.Error {
	w.Helper()
	known, ok := err.(*domain.Error)
	if !ok || known.Code != code || field != "" && (len(known.Fields) == 0 || known.Fields[0].Code != field) {
		w.Fatalf("got %+v, want %s %s", err, code, field)
	}
	return known
}

func answer(r *domain.PasskeyRequest, credential json.RawMessage) *domain.PasskeyAnswer {
	return &domain.PasskeyAnswer{IssuedAt: r.IssuedAt, Credential: credential}
}

// TestWhatIsSigned verifies that an approval with a valid signature is accepted, and that the stored evidence can
// be verified without this server.
func TestWhatIsSigned(t *testing.T) {
	w := newWorld(t)
	d, a := w.device(ada), approval("apr_1")
	asked := w.asks(ada, a)
	proof, err := w.Approve(t.Context(), a, ada, a.Actions, answer(asked, d.Sign(t, asked.PublicKey)))
	if err != nil {
		t.Fatal(err)
	}
	if proof.Use.SignCount != 1 || proof.Use.PasskeyID != w.store.all[0].ID || !proof.Use.At.Equal(t0) {
		t.Errorf("the use is %+v", proof.Use)
	}
	var kept people.PasskeyEvidence
	if err := json.Unmarshal(proof.Evidence, &kept); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"approval":"apr_1"`, `"by":"usr_ada"`, `"digest":"d1"`, `"at":"2026-03-02T12:00:00.123Z"`} {
		if !strings.Contains(kept.Signed, part) {
			t.Errorf("what was signed is %s, without %s", kept.Signed, part)
		}
	}
	client, _ := base64.RawURLEncoding.DecodeString(kept.ClientDataJSON)
	sum := sha256.Sum256([]byte(kept.Signed))
	if !bytes.Contains(client, []byte(base64.RawURLEncoding.EncodeToString(sum[:]))) {
		t.Errorf("the challenge in %s is not the hash of %s", client, kept.Signed)
	}
	if !verifies(t, &kept) {
		t.Error("the kept signature does not hold")
	}
}

// TestWhatDoesNotCount: each way in which a signature is not the one that is asked for.
func TestWhatDoesNotCount(t *testing.T) {
	w := newWorld(t)
	hers, his := w.device(ada), w.device(ben)
	one, other := approval("apr_1"), approval("apr_2")
	try := func(a *domain.Approval, who domain.Author, given *domain.PasskeyAnswer) error {
		_, err := w.Approve(t.Context(), a, who, a.Actions, given)
		return err
	}
	asked := w.asks(ada, one)
	w.refused(try(one, ada, answer(asked, his.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "not_yours")
	w.refused(try(one, ben, answer(asked, his.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "other_challenge")
	w.refused(try(other, ada, answer(asked, hers.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "other_challenge")
	w.refused(try(one, ada, &domain.PasskeyAnswer{IssuedAt: asked.IssuedAt.Add(time.Second), Credential: hers.Sign(t, asked.PublicKey)}),
		domain.CodePasskeyRefused, "other_challenge")
	edited := approval("apr_1")
	edited.Actions[0].Digest = "d2"
	w.refused(try(edited, ada, answer(asked, hers.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "other_challenge")
	w.refused(try(one, ada, answer(asked, json.RawMessage(`{}`))), domain.CodePasskeyRefused, "unreadable")

	hers.Unverified = true
	w.refused(try(one, ada, answer(asked, hers.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "signature")
	hers.Unverified, hers.Origin = false, "https://evil.example"
	w.refused(try(one, ada, answer(asked, hers.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "signature")
	hers.Origin = page + ":8443"
	w.refused(try(one, ada, answer(asked, hers.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "signature")
	hers.Origin = page
	forged := bytes.Replace(hers.Sign(t, asked.PublicKey), []byte(`"signature":"M`), []byte(`"signature":"N`), 1)
	w.refused(try(one, ada, answer(asked, forged)), domain.CodePasskeyRefused, "signature")

	good := hers.Sign(t, asked.PublicKey)
	proof, err := w.Approve(t.Context(), one, ada, one.Actions, answer(asked, good))
	if err != nil {
		t.Fatal(err)
	}
	w.store.used(proof.Use)
	w.refused(try(one, ada, answer(asked, good)), domain.CodePasskeyRefused, "count")
	hers.Count = 2
	w.refused(try(one, ada, answer(asked, hers.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "count")
	hers.Count = 100
	late := hers.Sign(t, asked.PublicKey)
	w.now = w.now.Add(Lives + time.Second)
	w.refused(try(one, ada, answer(asked, late)), domain.CodePasskeyRefused, "expired")
	w.now = w.now.Add(-2 * Lives)
	w.refused(try(one, ada, answer(asked, late)), domain.CodePasskeyRefused, "expired") // from the future
	w.now = t0
	w.store.all[0].RevokedAt = new(t0)
	w.refused(try(one, ada, answer(asked, hers.Sign(t, asked.PublicKey))), domain.CodePasskeyRefused, "not_yours")
	known := w.refused(try(one, ada, nil), domain.CodePasskeyRequired, "")
	if known.Passkey != nil || !strings.Contains(known.Message, page+"/#/settings/you") {
		t.Errorf("a person without passkeys gets %+v", known)
	}
}

// TestAFurtherPasskey verifies that registering another passkey is confirmed with an existing one; a person who has
// removed all of theirs can register again only with permission.
func TestAFurtherPasskey(t *testing.T) {
	w := newWorld(t)
	first := w.device(ada)
	register := func(d *device.Device, confirm func(options []byte) json.RawMessage) error {
		begun, err := w.Begin(t.Context(), "default", ada)
		if err != nil {
			return err
		}
		if len(begun.Confirm) == 0 {
			t.Fatal("nothing confirms the second")
		}
		_, err = w.Finish(t.Context(), "default", ada,
			people.NewPasskey{Name: "key", Credential: d.Make(t, begun.PublicKey), Confirmation: confirm(begun.Confirm)})
		return err
	}
	second := &device.Device{Origin: page}
	w.refused(register(second, func([]byte) json.RawMessage { return nil }), domain.CodePasskeyRequired, "")
	w.refused(register(second, func(o []byte) json.RawMessage { return second.Sign(t, o) }), domain.CodePasskeyRefused, "not_yours")
	if err := register(second, func(o []byte) json.RawMessage { return first.Sign(t, o) }); err != nil {
		t.Fatal(err)
	}
	if len(w.store.all) != 2 {
		t.Fatalf("%d passkeys", len(w.store.all))
	}
	for _, p := range w.store.all {
		if err := w.DeletePasskey(t.Context(), "default", ada, p.ID); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.Begin(t.Context(), "default", ada)
	w.refused(err, domain.CodePasskeyRequired, "")
	if err := w.ForgetPasskeys(t.Context(), "default", ada.ID); err != nil {
		t.Fatal(err)
	}
	w.device(ada)
}

// TestARegistration is good once, for whom it was begun, in its time, on this page.
func TestARegistration(t *testing.T) {
	w := newWorld(t)
	begin := func(who domain.Author) []byte {
		begun, err := w.Begin(t.Context(), "default", who)
		if err != nil {
			t.Fatal(err)
		}
		return begun.PublicKey
	}
	finish := func(who domain.Author, made json.RawMessage) error {
		_, err := w.Finish(t.Context(), "default", who, people.NewPasskey{Name: "x", Credential: made})
		return err
	}
	d := &device.Device{Origin: page}
	w.refused(finish(ada, d.Make(t, begin(ben))), domain.CodePasskeyRefused, "expired") // she began none
	begin(ada)
	w.refused(finish(ada, d.Make(t, begin(ben))), domain.CodePasskeyRefused, "refused")
	old := d.Make(t, begin(ada))
	fresh := begin(ada)
	w.refused(finish(ada, old), domain.CodePasskeyRefused, "refused")
	w.refused(finish(ada, json.RawMessage(`{"id":"x"}`)), domain.CodePasskeyRefused, "unreadable")
	w.refused(finish(ada, (&device.Device{Origin: "https://evil.example"}).Make(t, fresh)), domain.CodePasskeyRefused, "refused")
	w.refused(finish(ada, (&device.Device{Origin: page, Unverified: true}).Make(t, fresh)), domain.CodePasskeyRefused, "refused")
	w.now = w.now.Add(Lives)
	w.refused(finish(ada, d.Make(t, fresh)), domain.CodePasskeyRefused, "expired")
	w.now = t0
	if err := finish(ada, d.Make(t, begin(ada))); err != nil {
		t.Fatal(err)
	}
}

// TestParty: passkeys are bound to a name that browsers give them at.
func TestParty(t *testing.T) {
	for address, want := range map[string]string{
		"https://fermata.example": "https://fermata.example", "https://Fermata.Example:8443/x": "https://fermata.example:8443",
		"http://127.0.0.1:8080": "http://localhost:8080", "http://[::]:8080": "http://localhost:8080", "http://localhost:80": "http://localhost:80",
		"https://127.0.0.1:8443": "https://localhost:8443",
		"http://fermata.example": "", "https://192.168.1.7": "", "": "", "://": "",
	} {
		at, err := partyAt(address)
		if want == "" {
			if domain.ErrorCode(err) != domain.CodePasskeysOff {
				t.Errorf("%q: %v", address, err)
			}
			continue
		}
		if err != nil || at.origin != want {
			t.Errorf("%q: %+v, %v; want %s", address, at, err, want)
		}
	}
}
