// Package deploy is what people run Fermata with; its tests look that these files are what
// the programs that read them take.
package deploy
