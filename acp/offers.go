package acp

// clientCapabilities is what this client offers (ClientCapabilities). One value of it, made of the handlers that there are,
// is both what the agent is told and what is served (acpx#619).
type clientCapabilities struct {
	FS          fileOffers         `json:"fs"`
	Terminal    bool               `json:"terminal"`
	Elicitation *elicitationOffers `json:"elicitation,omitzero"`
	Auth        *authOffers        `json:"auth,omitzero"`
	Session     sessionOffers      `json:"session"`
	Plan        *marker            `json:"plan,omitzero"`
	Subagents   *marker            `json:"subagents,omitzero"`
}

// marker is an object that says yes by being there.
type marker struct{}

type fileOffers struct {
	ReadTextFile  bool `json:"readTextFile"`
	WriteTextFile bool `json:"writeTextFile"`
}

type elicitationOffers struct {
	Form *marker `json:"form,omitzero"`
	URL  *marker `json:"url,omitzero"`
}

type authOffers struct {
	Terminal bool `json:"terminal"`
}

// sessionOffers are the kinds of updates and options that are understood without a handler.
type sessionOffers struct {
	ConfigOptions struct {
		Boolean marker `json:"boolean"`
	} `json:"configOptions"`
	Notices    marker `json:"notices"`
	Compaction marker `json:"compaction"`
}

func offersOf(o *ClientOptions) clientCapabilities {
	offers := clientCapabilities{
		FS:       fileOffers{ReadTextFile: o.ReadTextFile != nil, WriteTextFile: o.WriteTextFile != nil},
		Terminal: o.Terminal != nil,
		Plan:     &marker{},
	}
	if o.Form != nil || o.URL != nil {
		offers.Elicitation = &elicitationOffers{Form: mark(o.Form != nil), URL: mark(o.URL != nil)}
	}
	if o.TerminalAuth {
		offers.Auth = &authOffers{Terminal: true}
	}
	offers.Subagents = mark(o.Subagents)
	return offers
}

func mark(offered bool) *marker {
	if !offered {
		return nil
	}
	return &marker{}
}
