package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// keysCommand is about API keys: one subcommand for each thing to do.
// KeysCommand manages the keys of a workspace.
type KeysCommand struct {
	List   keysList   `cmd:"" default:"withargs" help:"List the workspace's keys, revoked ones too."`
	Create keysCreate `cmd:"" help:"Make a key and print it, this once."`
	Revoke keysRevoke `cmd:"" help:"Make a key worthless, for good."`
}

type keysList struct {
	clientFlags `embed:""`
}

// Run prints them.
func (c *keysList) Run(cc *Context) error {
	head := []string{"ID", "ROLE", "BEGINS WITH", "STATE", "LAST USED", "NAME"}
	return printList(cc, &c.clientFlags, "/v1/keys", url.Values{}, everything, head, func(k *api.Key) []string {
		return []string{k.ID, string(k.Role), k.Prefix + "…", keyState(k, cc.Clock()), orNever(k.LastUsedAt), jsonbody.Cut(k.Name, 50)}
	})
}

// keyState says whether a key opens anything, and until when.
func keyState(k *api.Key, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt == nil:
		return "good"
	case now.Before(time.Time(*k.ExpiresAt)):
		return "until " + clockTime(*k.ExpiresAt)
	default:
		return "expired"
	}
}

func orNever(t *api.Timestamp) string {
	if t == nil {
		return "never"
	}
	return clockTime(*t)
}

// keys reads all of them.
func (c *client) keys(cc *Context) ([]api.Key, error) {
	return list[api.Key](cc, c, "/v1/keys", url.Values{}, everything)
}

type keysCreate struct {
	clientFlags `embed:""`
	Name        string        `arg:"" help:"To recognise it by."`
	Role        string        `help:"viewer (reads), member (talks and answers) or admin (configures)." enum:"viewer,member,admin" default:"member"`
	ExpiresIn   time.Duration `help:"How long it is good for, like 720h; without: until it is revoked." placeholder:"DURATION"`
}

// Run makes one. The key alone goes to the output, so that it can be put into a file; what
// there is to know about it goes beside.
func (c *keysCreate) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	ask := map[string]any{"name": c.Name, "role": c.Role}
	if c.ExpiresIn != 0 {
		ask["expires_at"] = cc.Clock().Add(c.ExpiresIn)
	}
	var made api.CreatedKey
	if err := client.call(cc, http.MethodPost, "/v1/keys", ask, &made); err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, made)
	}
	beside := screen{out: cc.Errors}
	beside.line("%s, role %s. The key is shown this once:", made.ID, made.Role)
	if made.Notice != nil {
		beside.line("%s", *made.Notice)
	}
	if _, err := fmt.Fprintln(cc.Out, made.Key); err != nil {
		return fmt.Errorf("print the key: %w", err)
	}
	return nil
}

type keysRevoke struct {
	clientFlags `embed:""`
	Key         string `arg:"" help:"Its id, or what it begins with (fmt_…), or its name."`
}

// Run revokes one.
func (c *keysRevoke) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	all, err := client.keys(cc)
	if err != nil {
		return err
	}
	key, err := keyCalled(all, c.Key)
	if err != nil {
		return err
	}
	if err := client.call(cc, http.MethodDelete, "/v1/keys/"+key.ID, nil, nil); err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, map[string]string{"id": key.ID})
	}
	s := screen{out: cc.Out}
	s.line("revoked %s (%s)", key.ID, key.Name)
	return nil
}

// keyCalled finds a key that opens something by its id, its beginning or its name.
func keyCalled(all []api.Key, name string) (*api.Key, error) {
	var found *api.Key
	for i := range all {
		k := &all[i]
		if k.ID == name || k.Prefix == name {
			return k, nil
		}
		if k.Name != name || k.RevokedAt != nil {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("two keys are called %q: %s and %s; say which one by its id", name, found.ID, k.ID)
		}
		found = k
	}
	if found == nil {
		return nil, fmt.Errorf("there is no key %q; `fermata keys` lists them", name)
	}
	return found, nil
}
