package outside

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/handlers/edge"
)

// The page that ends a sign-in says what is true of the connector then, in the language of its reader.
func TestHowASignInEnded(t *testing.T) {
	ready := &outside.Connector{Name: "Shop", Status: outside.ConnectorReady}
	broken := &outside.Connector{Name: "Shop", Status: outside.ConnectorUnreachable, StatusDetail: "It sent no list."}
	for name, c := range map[string]struct {
		language  string
		connector *outside.Connector
		code      domain.Code
		title     string
		text      string
	}{
		"done":                       {"en", ready, "", "You are signed in to Shop", "Sessions that waited for this sign-in continue."},
		"done, in French":            {"fr", ready, "", "Vous êtes connecté à Shop", "continuent."},
		"done, without a list":       {"en", broken, "", "You are signed in to Shop", "could not be listed, though: It sent no list."},
		"refused":                    {"en", ready, domain.CodeProviderFailed, "You are not signed in to Shop", "Nothing was changed"},
		"over":                       {"en", ready, domain.CodeSignInOver, "This sign-in is over", "more than a quarter of an hour"},
		"over, and nothing is known": {"fr", nil, domain.CodeSignInOver, "Cette connexion n’est plus valable", "Recommencez-la dans Fermata."},
	} {
		title, text := signInText(&domain.Settings{Language: c.language}, c.connector, c.code)
		if title != c.title || !strings.Contains(text, c.text) {
			t.Errorf("%s: %q, %q; want %q, %q", name, title, text, c.title, c.text)
		}
	}
}

func TestAnAuthorHasANameAndAnID(t *testing.T) {
	for want, author := range map[string]domain.Author{
		"Ann (usr_1)": {ID: "usr_1", Name: "Ann"},
		"usr_1":       {ID: "usr_1"},
		"root":        {ID: "root", Name: "root"},
	} {
		if got := nameOf(author); got != want {
			t.Errorf("%+v is called %q, want %q", author, got, want)
		}
	}
}

// The code and the state are in the address of the page that ends a sign-in.
func TestTheAddressOfASignInIsNotPassedOn(t *testing.T) {
	h := http.Header{}
	signInHeaders(h)
	if h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "same-origin" {
		t.Errorf("%v", h)
	}
}

// A service that signs wrongly can fix it by the message alone.
func TestAnErrorSaysWhatIsWrongWithASignature(t *testing.T) {
	for want, cause := range map[string]error{
		"signed for another task":         errOtherTask,
		"webhook-id, webhook-timestamp":   auth.ErrUnsigned,
		"more than five minutes from now": auth.ErrStale,
		"not signed by the service of":    domain.Errorf(domain.CodeInvalid, "other"),
	} {
		err := badSignature(cause)
		if domain.ErrorCode(err) != edge.CodeBadSignature || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is reported as %v, want %q", cause, err, want)
		}
	}
}

func TestAReportIsOneObject(t *testing.T) {
	for body, good := range map[string]bool{
		`{"status":"succeeded"}`: true, `{"status":"running","progress":{"text":"half"}}`: true,
		"": false, " \n": false, "[]": false, `{"status":"asleep"}`: false, `{"status":"succeeded"} {}`: false, `{"status":`: false,
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		var in api.TaskReport
		if err := readReport(httptest.NewRecorder(), r, []byte(body), &in); (err == nil) != good {
			t.Errorf("%q: %v", body, err)
		}
	}
}
