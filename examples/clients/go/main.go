// A conversation with an approval in it, by a client that oapi-codegen made.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"example.com/fermata-client/client"
)

func main() {
	if err := talk(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func talk(ctx context.Context) error {
	base := os.Getenv("FERMATA_URL")
	if base == "" {
		base = "http://127.0.0.1:8080"
	}
	api, err := client.NewClientWithResponses(base, client.WithRequestEditorFn(authorize))
	if err != nil {
		return err
	}
	name := fmt.Sprintf("Meadow %d", os.Getpid())
	message := new(client.NewSession_Message)
	if err := message.FromNewSessionMessage0("create a zone " + name); err != nil {
		return err
	}
	made, err := api.CreateSessionWithResponse(ctx, nil, client.NewSession{Message: message, RequireValidation: new(true)})
	if err != nil {
		return err
	}
	if made.JSON201 == nil {
		return refused(made.ApplicationproblemJSONDefault)
	}
	if err := follow(ctx, api, made.JSON201.Id); err != nil {
		return err
	}
	zones, err := api.ListZonesWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	if zones.JSON200 == nil {
		return refused(zones.ApplicationproblemJSONDefault)
	}
	for _, zone := range zones.JSON200.Data {
		if zone.Name == name {
			return nil
		}
	}
	return fmt.Errorf("the zone is not there")
}

// follow approves what the session asks for, until it rests.
func follow(ctx context.Context, api *client.ClientWithResponses, session string) error {
	after := "0"
	res, err := api.StreamSessionEvents(ctx, session, &client.StreamSessionEventsParams{After: &after})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20) // events with long messages are longer than the usual 64 KiB
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var event client.SessionEventData
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return err
		}
		value, err := event.ValueByDiscriminator()
		if err != nil {
			continue // a kind of event that this client does not know yet
		}
		switch e := value.(type) {
		case client.ApprovalRequestedData:
			fmt.Println("asked:", e.Approval.Actions[0].Text)
			if err := approve(ctx, api, e.Approval.Id); err != nil {
				return err
			}
		case client.CommandEndedData:
			fmt.Println("done:", e.Execution.Command, e.Execution.Status)
		case client.SessionPhaseData:
			if e.Phase == "IDLE" && e.From != "IDLE" {
				return nil
			}
		}
	}
	return fmt.Errorf("the stream ended: %w", lines.Err())
}

func approve(ctx context.Context, api *client.ClientWithResponses, approval string) error {
	var answer client.ApprovalAnswer
	if err := answer.FromActionsAnswer(client.ActionsAnswer{Approved: true}); err != nil {
		return err
	}
	done, err := api.AnswerApprovalWithResponse(ctx, approval, nil, answer)
	if err == nil && done.JSON200 == nil {
		err = refused(done.ApplicationproblemJSONDefault)
	}
	return err
}

func authorize(_ context.Context, r *http.Request) error {
	if key := os.Getenv("FERMATA_KEY"); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return nil
}

func refused(p *client.Problem) error {
	if p == nil {
		return fmt.Errorf("an answer that the contract does not have")
	}
	return fmt.Errorf("%s: %s (%s)", p.Code, p.Detail, p.RequestId)
}
