package orchestrator

import "github.com/fermata-dev/fermata/domain"

// offered are the commands of the next call. With relaunch=on_error_only, after
// results that were all good only the control commands are offered again.
func offered(s *domain.Session, settings *domain.Settings, specs []domain.CommandSpec) []domain.CommandSpec {
	if settings.Relaunch == "on_error_only" && s.State.ResultsGood {
		var control []domain.CommandSpec
		for _, spec := range specs {
			if spec.Kind == domain.KindControl {
				control = append(control, spec)
			}
		}
		return control
	}
	return specs
}
