package operate

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
