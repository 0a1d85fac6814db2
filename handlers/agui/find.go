package agui

import (
	"context"

	"github.com/fermata-dev/fermata/handlers/standing"
)

// find stores the newest message of the user, or finds it where a run before this one has
// brought it.
func (x *run) find(ctx context.Context) (err error) {
	known := len(x.in.Resume) > 0 || x.in.brought != nil
	if !known { // those of a message that is there hold as they came
		if err := x.checkTools(ctx); err != nil {
			return err
		}
	}
	m := x.in.said[x.in.last]
	finder := standing.Finder{
		Protocol: "ag-ui", Commands: x.Commands, Record: x.Record, Histories: x.Histories, Names: x.Names,
		Keeper:    &standing.Keeper{Files: x.Files, Workspace: x.who.Workspace, By: x.who.Name},
		Workspace: x.who.Workspace, By: x.who.Author(), Maker: x.who.Name, Listen: x.session.To,
	}
	x.found, err = finder.Find(ctx, standing.Sent{
		Talk: x.in.Talk, ID: m.ID, Pieces: m.pieces, Tools: x.in.offered(), Known: known, Instructions: x.in.instructions,
	})
	return err
}
