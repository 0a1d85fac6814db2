package acp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/api"
)

// The working directory of a session is kept at the server, in the session's external id: every
// editor with a key then finds it, and this program stores nothing itself.
const (
	folderPrefix  = "acp:"
	maxExternalID = 200 // characters, as the API allows
)

// newSessionIn returns the body of the request that creates a session in a folder. A folder that
// does not fit an external id is left out: its session is then listed in every folder.
func newSessionIn(folder string) fields {
	folder = cleanFolder(folder)
	id := folderPrefix + rand.Text() + ":" + folder
	unprintable := strings.ContainsFunc(folder, func(r rune) bool { return !unicode.IsPrint(r) })
	if folder == "" || unprintable || !utf8.ValidString(folder) || utf8.RuneCountInString(id) > maxExternalID {
		return fields{}
	}
	return fields{"external_id": id}
}

// folderOf returns the folder that a session was created in; "" for one that was created by another
// client, or without a folder.
func folderOf(s *api.Session) string {
	name, ok := strings.CutPrefix(api.Value(s.ExternalID), folderPrefix)
	if !ok {
		return ""
	}
	_, folder, _ := strings.Cut(name, ":")
	return folder
}

// cleanFolder removes what does not distinguish two paths of the same folder.
func cleanFolder(folder string) string {
	if strings.HasPrefix(folder, "/") {
		return path.Clean(folder)
	}
	if trimmed := strings.TrimRight(folder, `\/`); trimmed != "" && !strings.HasSuffix(trimmed, ":") {
		return trimmed
	}
	return folder
}

// isAbsolute reports whether a path is absolute, on the editor's system: a Unix path, a path with
// a drive letter, or a UNC path.
func isAbsolute(folder string) bool {
	drive := len(folder) > 2 && folder[1] == ':' && strings.ContainsRune(`\/`, rune(folder[2]))
	return drive || strings.HasPrefix(folder, "/") || strings.HasPrefix(folder, `\\`)
}

const (
	sessionsPerPage = 50
	// maxSessionPages bounds the pages that are read for one of the list, when few sessions match.
	maxSessionPages = 20
)

// list serves session/list. With a folder, it returns the sessions that were created in it, and
// those that belong to no folder because another client created them.
func (a *Agent) list(_ context.Context, params json.RawMessage) (finishFunc, error) {
	var in listParams
	if err := read(params, &in); err != nil {
		return nil, err
	}
	if in.Folder != "" && !isAbsolute(in.Folder) {
		return nil, newFailure(codeParams, "invalid", "cwd takes an absolute path.")
	}
	return func(ctx context.Context) (any, error) {
		infos, cursor := []fields{}, in.Cursor
		for range maxSessionPages {
			query := url.Values{"type": {string(api.TypeChat)}, "limit": {strconv.Itoa(sessionsPerPage)}}
			if cursor != "" {
				query.Set("after", cursor)
			}
			var page api.SessionList
			if err := a.Server.Call(ctx, http.MethodGet, "/v1/sessions?"+query.Encode(), nil, &page); err != nil {
				return nil, err
			}
			for i := range page.Data {
				if info := a.sessionInfo(&page.Data[i], in.Folder); info != nil {
					infos = append(infos, info)
				}
			}
			if cursor = api.Value(page.NextCursor); cursor == "" || len(infos) >= sessionsPerPage/2 {
				break
			}
		}
		result := fields{"sessions": infos, "nextCursor": nil}
		if cursor != "" {
			result["nextCursor"] = cursor
		}
		return result, nil
	}, nil
}

// sessionInfo describes a session of the list; nil for one of another folder than the wanted one.
func (a *Agent) sessionInfo(s *api.Session, wanted string) fields {
	folder := folderOf(s)
	switch {
	case folder == "" && wanted != "":
		folder = wanted
	case folder == "":
		folder = a.Folder
	case wanted != "" && cleanFolder(wanted) != folder:
		return nil
	}
	info := fields{"sessionId": s.ID, "cwd": folder, "updatedAt": s.LastEventTime}
	if s.Name != "" {
		info["title"] = s.Name
	}
	return info
}
