// Package spelling suggests corrections of mistyped names.
package spelling

import "strings"

// longest bounds the work: a longer name is not a typing error.
const longest = 50

// Nearest is the most similar known name, or "": it differs by at most three letters, fewer for short names.
// Of equally similar ones it is the first.
func Nearest(name string, known []string) string {
	if len(name) > longest {
		return ""
	}
	best, distance := "", min(3, 1+len(name)/3)+1
	for _, k := range known {
		if d := edits(strings.ToLower(name), k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// edits is the Levenshtein distance: letters to insert, delete or replace.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, corner+cost)
			corner, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
