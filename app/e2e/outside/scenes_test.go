package outside

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// stage is where the attempts are made.
type stage struct {
	*process
	bank     *bank
	model    *obedient
	approved int // orders that a person let pass
	obeyed   int
}

// scene is one attempt on it.
type scene struct {
	*workspace
	stage   *stage
	a       attempt
	pupil   *pupil
	session string
}

func (s *stage) try(t *testing.T, a attempt) {
	var sc *scene
	defer func() {
		if t.Failed() && sc != nil && sc.session != "" {
			t.Logf("the session is %v", sc.must(200, "GET", "/v1/sessions/"+sc.session, nil))
			for _, m := range list(sc.must(200, "GET", "/v1/sessions/"+sc.session+"/messages", nil), "data") {
				t.Log(encoded(m)[:min(len(encoded(m)), 600)])
			}
		}
	}()
	w := s.workspace(strings.ReplaceAll(a.order(), "ord", "attempt-"))
	p := s.model.teach(a.order(), &pupil{form: forms[a.form]})
	s.T = t
	sc = &scene{workspace: w, stage: s, a: a, pupil: p}
	s.bank.connect(w)
	protocol := domain.ProtocolNative
	if a.kind == "json" {
		protocol = domain.ProtocolJSON
	}
	w.must(201, "POST", "/v1/providers", map[string]any{
		"name": "Obedient", "kind": "openai_compatible", "is_default": true,
		"config": map[string]any{"base_url": s.model.url + "/" + a.order(), "model": "m", "protocol": protocol},
	})
	w.must(200, "PATCH", "/v1/settings", map[string]any{"completion_confirmation_delay": "0s"})
	sc.prepare()
	if a.chat() {
		sc.talk()
	} else {
		sc.run()
	}
	sc.judge()
	s.obeyed += p.didObey()
}

// prepare sets what the model does in this course.
func (s *scene) prepare() {
	switch s.a.course {
	case "later", "stopped", "retry":
		s.pupil.word = "thanks"
	case "summary":
		s.pupil.summary = true
	case "steer", "cut", "crash", "aside":
		s.pupil.hold = make(chan struct{})
		if s.a.course == "cut" {
			s.pupil.word = "thanks"
		}
	}
	if s.a.way == "webhook" {
		return
	}
	for i, words := range s.a.words() {
		s.stage.bank.write(s.page(i), words)
	}
}

func (s *scene) page(i int) string { return fmt.Sprintf("p%03d%c", s.a.n, 'a'+i) }

// request is what the person asks for, in good faith.
func (s *scene) request() string {
	if s.a.way == "webhook" {
		return "Look at what came."
	}
	text := "Show me what is there."
	for i := range s.a.words() {
		text += " READ " + s.page(i)
	}
	return text
}

func (s *scene) say(text string, more ...string) {
	body := map[string]any{"text": text}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	s.must(202, "POST", "/v1/sessions/"+s.session+"/messages", body)
}

func (s *scene) do(what string) { s.must(200, "POST", "/v1/sessions/"+s.session+"/"+what, nil) }

// talk is an attempt in a chat.
func (s *scene) talk() {
	s.session = str(s.must(201, "POST", "/v1/sessions", map[string]any{"type": "CHAT"}), "id")
	s.say(s.request())
	switch s.a.course {
	case "later":
		s.calm()
		s.say("thanks, go on")
	case "retry":
		s.calm()
		s.pupil.mu.Lock()
		s.pupil.word = "" // what it read begins to work
		s.pupil.mu.Unlock()
		s.do("retry")
	case "stopped":
		s.calm()
		s.do("stop")
		s.do("resume")
		s.say("thanks, go on")
	case "cut":
		<-s.pupil.held
		s.do("interrupt")
		s.calm()
		close(s.pupil.hold)
		s.say("thanks, go on")
	case "steer":
		<-s.pupil.held
		s.say("and be quick", "if_busy", "steer")
		close(s.pupil.hold)
	case "crash":
		<-s.pupil.held
		s.Kill()
		close(s.pupil.hold)
	case "dead":
		s.asked()
		s.Kill()
	case "again", "why":
		card := s.asked()
		if s.a.course == "again" {
			s.say("Show me more.")
		} else {
			s.decide(card, map[string]any{"approved": false, "comment": "Why that?"})
		}
		testkit.Until(s.T, "it obeys once more", func() bool { return s.pupil.didObey() > 1 })
	}
}

// run is an attempt in a run of an automation to which all of it was granted beforehand.
func (s *scene) run() {
	policy := s.a.kind
	made := s.must(201, "POST", "/v1/automations", map[string]any{
		"name": "Alerts", "seed": map[string]any{"text": s.request()}, "automation_validation": policy,
		"triggers": []any{map[string]any{"type": "webhook"}},
	})
	id := str(made, "id")
	if policy == "allow" {
		s.must(201, "POST", "/v1/automations/"+id+"/grants", map[string]any{
			"commands": []string{"BANK.PAY", "BANK.SET", "BANK.CLOSE", "CREATE_ZONE"}, "max_per_run": 20,
		})
	}
	if s.a.way == "webhook" {
		_, path, _ := strings.Cut(str(made, "webhook_url"), "/v1/")
		s.session = str(s.must(202, "POST", "/v1/"+path, map[string]any{"alert": s.a.words()[0]}), "session_id")
	} else {
		s.session = str(s.must(202, "POST", "/v1/automations/"+id+"/execute", nil), "session", "id")
	}
	switch s.a.course {
	case "crash":
		<-s.pupil.held
		s.Kill()
		close(s.pupil.hold)
	case "dead":
		s.asked()
		s.Kill()
	case "aside":
		<-s.pupil.held
		chat := str(s.must(201, "POST", "/v1/sessions", map[string]any{"type": "CHAT"}), "id")
		s.must(202, "POST", "/v1/sessions/"+chat+"/messages", map[string]any{"text": "Hello."})
		s.rest(chat)
		close(s.pupil.hold)
		s.must(200, "POST", "/v1/sessions/"+chat+"/stop", nil)
	}
}

// calm: the session rests, and no instruction has been obeyed yet.
func (s *scene) calm() {
	s.T.Helper()
	if status := s.rest(s.session); status != "idle" || s.pupil.didObey() != 0 {
		s.T.Fatalf("the session is %s, and the model obeyed %d times before it should", status, s.pupil.didObey())
	}
}

// asked waits for an approval, and returns it.
func (s *scene) asked() map[string]any {
	s.T.Helper()
	testkit.Until(s.T, "an approval is requested", func() bool { return len(s.open()) > 0 })
	return s.open()[0]
}

func (s *scene) decide(card, decision map[string]any) {
	s.T.Helper()
	s.must(200, "POST", "/v1/approvals/"+str(card, "id"), decision)
}

// judge checks the outcome of the attempt: the model did what it read, and no request reached the bank before an
// approval.
func (s *scene) judge() {
	s.T.Helper()
	testkit.Until(s.T, "the model obeys", func() bool { return s.pupil.didObey() > 0 })
	status := s.rest(s.session)
	if n := s.stage.bank.received(s.a.order()); n != 0 {
		s.T.Fatalf("%d orders came to the bank, and none was approved", n)
	}
	if s.a.kind == "refuse" {
		if open := s.open(); len(open) != 0 || status != "ended" {
			s.T.Errorf("the run is %s, and %d approvals are open", status, len(open))
		}
		return
	}
	card := s.asked()
	s.wantReason(card)
	if s.a.n%10 != 0 {
		s.decide(card, map[string]any{"approved": false})
		s.rest(s.session)
		if n := s.stage.bank.received(s.a.order()); n != 0 {
			s.T.Errorf("%d orders came after a person said no", n)
		}
		return
	}
	s.decide(card, map[string]any{"approved": true})
	testkit.Until(s.T, "what was approved came", func() bool { return s.stage.bank.received(s.a.order()) > 0 })
	s.rest(s.session)
	s.stage.approved += s.stage.bank.received(s.a.order())
	if want := map[string]int{"three": 3, "insisting": 2}[s.a.form]; s.stage.bank.received(s.a.order()) != max(want, 1) {
		s.T.Errorf("a person approved once, and %d orders came", s.stage.bank.received(s.a.order()))
	}
}

// wantReason checks that the card gives the reason for the approval, and names what was read.
func (s *scene) wantReason(card map[string]any) {
	s.T.Helper()
	source := "BANK.READ (Bank)"
	if s.a.way == "webhook" {
		source = "Alerts"
	}
	for _, r := range list(card, "reasons") {
		if str(r, "level") == "outside" && strings.Contains(str(r, "text"), source) {
			return
		}
	}
	s.T.Errorf("the reasons are %v; none names %s", list(card, "reasons"), source)
}
