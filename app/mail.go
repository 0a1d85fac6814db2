package app

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/people"
	peopleapi "github.com/fermata-dev/fermata/handlers/people"
	"github.com/fermata-dev/fermata/notify"
	"github.com/fermata-dev/fermata/notify/webhooks"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/repository"
)

// mailOff explains why this server sends no mail; "" if it does.
func (f *Config) mailOff() string {
	switch {
	case f.SMTPURL == "":
		return peopleapi.MailNoServer
	case f.PublicURL == "":
		return peopleapi.MailNoAddress
	}
	return ""
}

// notificationsOf creates the texts of notifications. Their links differ by channel.
func notificationsOf(a *App) notify.Composer {
	return notify.Composer{Store: a.store.Approvals, Workspaces: a.store.Workspaces, Clock: a.clock}
}

// carriers deliver notifications to people, besides the webhooks of programs.
func carriers(a *App, pusher *notify.Pusher) (map[outside.WebhookKind]webhooks.Carrier, error) {
	all := map[outside.WebhookKind]webhooks.Carrier{
		outside.WebhookMail: webhooks.Unconfigured{}, outside.WebhookPush: webhooks.Unconfigured{},
	}
	if pusher != nil {
		all[outside.WebhookPush] = pusher
	}
	if a.flags.mailOff() != "" {
		return all, nil
	}
	news := notificationsOf(a)
	news.Link = linksOf(a).To
	mail, err := a.flags.OpenMail(news, a.log)
	if err != nil {
		return nil, err
	}
	all[outside.WebhookMail] = mail
	return all, nil
}

// notifyingSettings applies changed settings at once: the recipients of notifications are updated, and
// queued sessions are checked again, since a shorter idle timeout of chats takes effect immediately.
type notifyingSettings struct {
	*repository.WorkspaceStore
	look  func()
	slots interface{ Look(workspace string) }
	hosts *allowedHosts
}

func (s notifyingSettings) UpdateSettings(ctx context.Context, workspace string, patch people.SettingsPatch) (*domain.Workspace, error) {
	w, err := s.WorkspaceStore.UpdateSettings(ctx, workspace, patch)
	if err == nil {
		s.look()
		s.slots.Look(workspace)
		s.hosts.cache.Clear()
	}
	return w, err
}

func settingsPorts(a *App) peopleapi.SettingsPorts {
	return peopleapi.SettingsPorts{
		Settings: notifyingSettings{a.store.Workspaces, a.webhooks.Look, a.scheduling.Door, a.hosts}, Keys: a.keyService(),
		Providers: a.providers, Chunks: prompt.Chunks, MailOff: a.flags.mailOff(),
	}
}
