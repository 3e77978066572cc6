package fakeagent

import (
	"errors"
	"fmt"
	"os"
)

// signedIn reports whether Script.SignIn lets the agent work.
func (s *server) signedIn() bool { return s.script.SignIn == "" || s.authenticated }

// WriteSignIn signs in whoever starts with this script from now on.
func (s *Script) WriteSignIn() error {
	if s.SignInFile == "" {
		return errors.New("cannot sign in: the script has no signInFile")
	}
	if err := os.WriteFile(s.SignInFile, []byte("signed in\n"), 0o600); err != nil {
		return fmt.Errorf("cannot sign in: %w", err)
	}
	return nil
}

// signIn is what a successful authenticate does.
func (s *server) signIn() error {
	if s.script.SignIn == "" {
		return nil
	}
	if err := s.script.WriteSignIn(); err != nil {
		return err
	}
	s.authenticated = s.authenticated || s.script.SignIn == SignInAtOnce
	return nil
}

// wasSignedIn reports whether somebody has signed in before the agent started.
func (s *Script) wasSignedIn() bool {
	_, err := os.Stat(s.SignInFile)
	return s.SignIn != "" && err == nil
}
