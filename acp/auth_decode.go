package acp

func (d *decoder) authMethods(name string, raw []byte) []AuthMethod {
	var methods []AuthMethod
	d.list(name, raw, func(value []byte) {
		if m, ok := d.authMethod(value); ok {
			methods = append(methods, m)
		}
	})
	return methods
}

func (d *decoder) authMethod(raw []byte) (AuthMethod, bool) {
	m := AuthMethod{Raw: raw}
	var meta []byte
	ok := d.item(raw, func(key, value []byte) {
		switch string(key) {
		case "id":
			d.str("id", value, &m.ID)
		case "name":
			d.str("name", value, &m.Name)
		case "description":
			d.str("description", value, &m.Description)
		case "type":
			d.str("type", value, (*string)(&m.Type))
		case "args":
			m.Args = d.texts("args", value)
		case "env":
			m.Env = d.environment("env", value)
		case "vars":
			d.list("vars", value, func(value []byte) {
				if v, ok := d.authVariable(value); ok {
					m.Vars = append(m.Vars, v)
				}
			})
		case "link":
			d.str("link", value, &m.Link)
		case "_meta":
			meta = value
		}
	})
	if ok && m.Type == "" {
		d.legacyTerminal(&m, meta)
	}
	return m, ok
}

// legacyTerminal reads the ways of saying "terminal" from before the protocol had one: {"terminal-auth":{command,args}}, which
// names the whole command (copilot), and {"type":"terminal",args} (qwen).
func (d *decoder) legacyTerminal(m *AuthMethod, meta []byte) {
	terminal := false
	var args []string
	eachMember(meta, func(key, value []byte) {
		switch string(key) {
		case "type":
			terminal = terminal || string(bareString(value)) == "terminal"
		case "args":
			args = d.texts("args", value)
		case "terminal-auth":
			eachMember(value, func(key, value []byte) {
				switch string(key) {
				case "command":
					d.str("command", value, &m.Command)
				case "args":
					m.Args = d.texts("args", value)
				case "env":
					m.Env = d.environment("env", value)
				}
			})
		}
	})
	if terminal && m.Command == "" {
		m.Args = append([]string{}, args...)
	}
}

func (d *decoder) authVariable(raw []byte) (AuthVariable, bool) {
	v := AuthVariable{Secret: true}
	ok := d.item(raw, func(key, value []byte) {
		switch string(key) {
		case "name":
			d.str("name", value, &v.Name)
		case "label":
			d.str("label", value, &v.Label)
		case "secret":
			d.boolean("secret", value, &v.Secret)
		case "optional":
			d.boolean("optional", value, &v.Optional)
		}
	})
	return v, ok
}

// texts reads a list of texts; what is no list is nil.
func (d *decoder) texts(name string, raw []byte) []string {
	texts := []string{}
	if !d.list(name, raw, func(value []byte) {
		var text string
		d.str("", value, &text)
		texts = append(texts, text)
	}) {
		return nil
	}
	return texts
}

// environment reads {"NAME":"value"} and [{"name":"NAME","value":"value"}].
func (d *decoder) environment(name string, raw []byte) []EnvVariable {
	var env []EnvVariable
	if len(raw) > 0 && raw[0] == '[' {
		d.list(name, raw, func(value []byte) {
			if v := d.envVariable(value); v.Name != "" {
				env = append(env, v)
			}
		})
		return env
	}
	d.object(name, raw, func(key, value []byte) {
		v := EnvVariable{Name: string(key)}
		d.str("", value, &v.Value)
		env = append(env, v)
	})
	return env
}
