package backends

// TrustKey names one of the decisions of a [Trust].
type TrustKey string

// The decisions.
const (
	TrustHotReload          TrustKey = "mcp-config-hot-reload"
	TrustSharesProcess      TrustKey = "shares-process"
	TrustIsolatesMCP        TrustKey = "isolates-mcp"
	TrustReadsConfig        TrustKey = "reads-config"
	TrustTakesServers       TrustKey = "takes-servers"
	TrustAsksPermission     TrustKey = "asks-permission"
	TrustParallelStarts     TrustKey = "parallel-starts"
	TrustFollowsListChanged TrustKey = "follows-list-changed"
	TrustStopsOnStdinClose  TrustKey = "stops-on-stdin-close"
)

// TrustKeys returns all decisions, in the order in which they are shown.
func TrustKeys() []TrustKey {
	return []TrustKey{
		TrustHotReload, TrustSharesProcess, TrustIsolatesMCP, TrustReadsConfig, TrustTakesServers,
		TrustAsksPermission, TrustParallelStarts, TrustFollowsListChanged, TrustStopsOnStdinClose,
	}
}

// Ruling is one decision in the form that all of them have.
type Ruling struct {
	Granted bool
	Value   string // what was decided, for people: "yes", "no", "process-start", "stdio, http"
	Reason  string // empty if nothing was decided
}

// Of returns a decision by its name; the zero value for a name that is none.
func (t Trust) Of(key TrustKey) Ruling {
	switch key {
	case TrustHotReload:
		return Decision{t.HotReload.Granted, t.HotReload.Reason}.ruling()
	case TrustSharesProcess:
		return t.SharesProcess.ruling()
	case TrustIsolatesMCP:
		return t.IsolatesMCP.ruling()
	case TrustReadsConfig:
		return t.ReadsConfig.ruling()
	case TrustTakesServers:
		return t.TakesServers.ruling()
	case TrustAsksPermission:
		return t.AsksPermission.ruling()
	case TrustParallelStarts:
		return t.ParallelStarts.ruling()
	case TrustFollowsListChanged:
		return t.FollowsListChanged.ruling()
	case TrustStopsOnStdinClose:
		return t.StopsOnStdinClose.ruling()
	default:
		return Ruling{}
	}
}

func (d Decision) ruling() Ruling { return Ruling{d.Granted, yesNo(d.Granted), d.Reason} }

func (c ConfigReading) ruling() Ruling {
	// Only what is read with every session is something to rely on.
	value := string(c.When)
	if value == "" {
		value = string(ReadAtStart)
	}
	return Ruling{c.When == ReadAtSession, value, c.Reason}
}

func (t Transports) ruling() Ruling {
	value := ""
	for _, each := range []struct {
		is   bool
		name string
	}{{t.Stdio, "stdio"}, {t.HTTP, "http"}, {t.SSE, "sse"}} {
		if each.is {
			if value != "" {
				value += ", "
			}
			value += each.name
		}
	}
	if value == "" {
		return Ruling{false, "none", t.Reason}
	}
	return Ruling{true, value, t.Reason}
}

func (a Asking) ruling() Ruling {
	value := yesNo(a.Granted)
	if a.Granted && a.Mode != "" {
		value = "in mode " + a.Mode
	}
	return Ruling{a.Granted, value, a.Reason}
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
