package api

import (
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// Domain returns the requested change. version is the one that the client has read.
func (in *SettingsPatch) Domain(version int64) people.SettingsPatch {
	return people.SettingsPatch{Version: version, Fields: PatchOf[domain.Settings](in)}
}
