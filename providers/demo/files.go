package demo

import (
	"regexp"

	"github.com/fermata-dev/fermata/domain"
)

// aFile matches a file in a prompt: its source and description.
var aFile = regexp.MustCompile(`^<fermata type="OUTSIDE" mark="[0-9a-f]+" source="file: ([^"]*)">\s+\[File \S+, (a picture of [^\]]*|a text of [^\]]*)\.\]`)

// filesIn are the files that a turn brings, each with what the prompt says of it.
func filesIn(t *domain.Turn) (files []string) {
	for i := range t.Blocks {
		b := &t.Blocks[i]
		if b.Kind != domain.BlockText && b.Kind != domain.BlockPicture {
			continue
		}
		if m := aFile.FindStringSubmatch(b.Text); m != nil {
			files = append(files, "“"+m[1]+"”: "+m[2])
		}
	}
	return files
}

// answerFiles says what came with the message: a demo looks into none of it.
func answerFiles(c *planner) {
	for _, f := range c.files {
		c.say("I got a file, %s. I am only a demo: a model would look into it.",
			"J'ai reçu un fichier, %s. Je ne suis qu'une démo : un modèle le regarderait.", f)
	}
}
