package fakeagent

import "encoding/json"

// givenServers are the servers over stdio that a client names when it opens a session.
func givenServers(raw json.RawMessage) map[string]*serverEntry {
	var servers []struct {
		Type    string          `json:"type"`
		Name    string          `json:"name"`
		Command string          `json:"command"`
		Args    []string        `json:"args"`
		Env     []nameValuePair `json:"env"`
	}
	if json.Unmarshal(raw, &servers) != nil { // setup has refused what is no list
		return nil
	}
	entries := map[string]*serverEntry{}
	for _, srv := range servers {
		if srv.Type != "" && srv.Type != "stdio" {
			continue
		}
		entry := &serverEntry{command: srv.Command, args: srv.Args, env: map[string]string{}}
		for _, pair := range srv.Env {
			entry.env[pair.Name] = pair.Value
		}
		entries[srv.Name] = entry
	}
	return entries
}

// namesServers reports whether there is a server of any kind.
func namesServers(raw json.RawMessage) bool {
	var servers []json.RawMessage
	return json.Unmarshal(raw, &servers) == nil && len(servers) > 0
}
