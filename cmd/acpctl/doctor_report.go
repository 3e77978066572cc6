package main

import "fmt"

// checkup is what was found of one agent.
type checkup struct {
	Subject      string        `json:"subject"`
	Name         string        `json:"name"`
	Installed    bool          `json:"installed"`
	Command      []string      `json:"command,omitempty"` // with its executable found
	Started      bool          `json:"started"`
	Answered     bool          `json:"answered"` // it answered initialize
	Agent        checkedAgent  `json:"agent"`
	NameKnown    answer        `json:"nameKnown"`
	VersionKnown answer        `json:"versionKnown"`
	HotReload    checkedReload `json:"hotReload"`
	SignedIn     answer        `json:"signedIn"`
	// SignInBy is the method by which acpctl signs in without anybody when the agent asks for it.
	SignInBy string `json:"signInBy,omitempty"`

	issues []issue
}

// checkedAgent is what an agent says of itself, empty if it does not.
type checkedAgent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// answer is an answer that may not be had.
type answer string

const (
	answerYes         answer = "yes"
	answerNo          answer = "no"
	answerNotRequired answer = "not_required" // of a sign-in
	answerUnknown     answer = "unknown"
)

func answered(is bool) answer {
	if is {
		return answerYes
	}
	return answerNo
}

// issue is where a human must act.
type issue struct {
	Subject string    `json:"subject,omitempty"` // absent if it is about no agent in particular
	Kind    issueKind `json:"kind"`
	Problem string    `json:"problem"`
	Next    string    `json:"next"` // what to do
}

type issueKind string

const (
	issueNotInstalled   issueKind = "not_installed"
	issueStart          issueKind = "start_failed"
	issueSession        issueKind = "session_failed"
	issueSignIn         issueKind = "sign_in"
	issueBelowFloor     issueKind = "below_floor"
	issueNameUnknown    issueKind = "name_unknown"
	issueVersionUnknown issueKind = "version_unknown"
	issueLeftover       issueKind = "leftover"
)

func (c *checkup) issue(kind issueKind, next, problem string, args ...any) {
	c.issues = append(c.issues, issue{c.Subject, kind, fmt.Sprintf(problem, args...), next})
}
