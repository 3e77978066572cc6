package fakeagent

import (
	"errors"
	"fmt"
	"strings"
)

// validateOpening refuses a script in which one answer to load makes another impossible.
func (s *Script) validateOpening() error {
	replay := members{
		{"replayNone", s.ReplayNone}, {"replayUpdates", s.ReplayUpdates != 0}, {"replayLate", s.ReplayLate != 0},
	}
	return errors.Join(
		excludes(s.LoadSilent, "loadSilent", append(members{{"loadError", s.LoadError != nil}}, replay...)),
		excludes(s.LoadError != nil, "loadError", replay),
		excludes(s.ReplayNone, "replayNone", replay[1:]),
	)
}

// validateTurns refuses a script whose turns would have to end in two ways, or never come to what it wants of them.
func (s *Script) validateTurns() error {
	cancelIgnore := member{"cancel ignore", s.Cancel == CancelIgnore}
	err := errors.Join(
		excludes(s.Cancelled, "cancelled", members{
			{"stop", s.Stop != nil},
			{"omitStop", s.OmitStop},
			{"error", s.Error != nil},
			{"cancel end_turn", s.Cancel == CancelEndTurn},
		}),
		excludes(s.Desync, "desync", members{cancelIgnore, {"cancelKillsSession", s.CancelKillsSession}}),
		excludes(s.CancelKillsSession, "cancelKillsSession", members{cancelIgnore}),
		excludes(s.Empty, "empty", members{{"echoPrompt", s.EchoPrompt}}),
	)
	if s.Child == "" && (s.ChildAnnounced != nil || s.ChildPermission) {
		err = errors.Join(err, errors.New("childAnnounced, childPermission: there is no child"))
	}
	return err
}

// member is a member of the script and whether it is set.
type member struct {
	name string
	set  bool
}

type members []member

// excludes complains about all that contradicts the member with name, if that is set.
func excludes(set bool, name string, others members) error {
	var clash []string
	for _, m := range others {
		if set && m.set {
			clash = append(clash, m.name)
		}
	}
	if clash == nil {
		return nil
	}
	return fmt.Errorf("%s: contradicts %s", name, strings.Join(clash, ", "))
}
