package keep

import (
	"context"
	"database/sql"
)

import "slices"

// ArchivedForTest are the tables of an archive of a workspace.
func ArchivedForTest() (names []string) {
	for _, t := range archived(ofWorkspace) {
		names = append(names, t.name)
	}
	return names
}

// TablesForTest are all tables that are accounted for, and the columns known as secrets.
func TablesForTest() (names, secrets []string) {
	for _, t := range tables {
		names = append(names, t.name)
		for column := range t.secrets {
			secrets = append(secrets, t.name+"."+column)
		}
	}
	slices.Sort(secrets)
	return names, secrets
}

// BeginForTest begins to read as an export does.
func (p Place) BeginForTest(ctx context.Context) (tx *sql.Tx, end func() error, err error) {
	db, err := p.open()
	if err != nil {
		return nil, nil, err
	}
	tx, err = p.begin(ctx, db)
	return tx, db.Close, err
}
