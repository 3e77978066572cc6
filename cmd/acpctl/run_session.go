package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/acpharness/acpharness/acp"
)

// storedChoice says which stored session to continue; the zero value is none.
type storedChoice struct {
	id     acp.SessionID
	newest bool // the newest of the folder
	orNew  bool // a new one if that cannot be had
}

// open opens the session that was asked for, or a new one. lost says why the history is lost if it is.
func (c *storedChoice) open(ctx context.Context, conn *acp.Conn, cwd string, opts acp.SessionOptions) (s *acp.Session, lost, err error) {
	id := c.id
	if c.newest {
		id, lost = newestSession(ctx, conn, cwd)
		if lost != nil && (!c.orNew || acp.IsAuthRequired(lost) || ctx.Err() != nil || conn.Err() != nil) {
			return nil, nil, fmt.Errorf("cannot continue the newest session: %w", lost)
		}
	}
	if id == "" {
		s, err = conn.NewSession(ctx, cwd, &opts)
		return s, lost, err
	}
	s, how, err := conn.RestoreSession(ctx, id, cwd, &acp.RestoreOptions{Session: opts, OrNew: c.orNew})
	if err != nil {
		return nil, nil, refusal(err)
	}
	if how.HistoryLost {
		lost = refusal(how.Failed[len(how.Failed)-1])
		if how.Failed[0].Kind != acp.LoadUnsupported { // then the other try says no more
			lost = refusal(how.Failed[0])
		}
	}
	return s, lost, nil
}

// refusal says in a word why a stored session cannot be had, and who has it if another process does.
func refusal(err error) error {
	load, ok := errors.AsType[*acp.LoadError](err)
	switch {
	case !ok:
		return err
	case load.PID != 0:
		return fmt.Errorf("cannot continue the session (%s, by process %d): %w", load.Kind, load.PID, err)
	default:
		return fmt.Errorf("cannot continue the session (%s): %w", load.Kind, err)
	}
}

// newestSession returns the session of a folder that was used last or, if the agent does not tell, the first it lists.
func newestSession(ctx context.Context, conn *acp.Conn, cwd string) (acp.SessionID, error) {
	var newest acp.SessionID
	var used time.Time
	for info, err := range conn.Sessions(ctx, &acp.ListOptions{CWD: cwd}) {
		if err != nil {
			return "", err
		}
		if info.CWD != "" && !sameFolder(info.CWD, cwd) { // some agents list all whatever they are asked
			continue
		}
		at, _ := time.Parse(time.RFC3339, info.UpdatedAt)
		if newest == "" || at.After(used) {
			newest, used = info.ID, at
		}
	}
	if newest == "" {
		return "", fmt.Errorf("the agent lists none of the folder %s", cwd)
	}
	return newest, nil
}

// sameFolder compares paths that may lead to one folder in different ways.
func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// continuation is the command line that continues a session, empty if there is none.
func (o *runOptions) continuation(conn *acp.Conn, s *acp.Session) string {
	can := conn.Capabilities()
	if len(o.again) == 0 || !can.LoadSession && !can.Session.Resume {
		return ""
	}
	words := append(append([]string{}, o.again...), "--session", string(s.ID()))
	if len(o.command) > 0 {
		words = append(append(words, "--"), o.command...)
	}
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

// shellWord quotes what a shell would act on: session ids come from the agent.
func shellWord(word string) string {
	if regexp.MustCompile(`^[\w@%+=:,./-]+$`).MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
