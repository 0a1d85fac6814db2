package agui

import (
	"context"

	"github.com/fermata-dev/fermata/rounds"
)

// find stores the newest user message, or finds it where an earlier run stored it.
func (x *run) find(ctx context.Context) (err error) {
	mustExist := len(x.in.Resume) > 0 || x.in.results != nil
	if !mustExist { // the tools of a stored message were checked
		if err := x.checkTools(ctx); err != nil {
			return err
		}
	}
	m := x.in.messages[x.in.last]
	finder := rounds.Finder{
		Protocol: "ag-ui", Commands: x.Commands, Record: x.Record, Histories: x.Histories, Names: x.Names,
		Uploader:  &rounds.Uploader{Files: x.Files, Workspace: x.identity.Workspace, By: x.identity.Name},
		Workspace: x.identity.Workspace, By: x.identity.Author(), CreatedBy: x.identity.Name, OnSession: x.listener.Listen,
	}
	x.found, err = finder.Find(ctx, rounds.ClientMessage{
		Chat: x.in.ChatID, ID: m.ID, Pieces: m.pieces, Tools: x.in.clientTools(), MustExist: mustExist, Instructions: x.in.instructions,
	})
	return err
}
