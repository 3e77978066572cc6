package acp

// maxFields bounds the fields of a form: nobody fills in more.
const maxFields = 1000

func (d *decoder) form(name string, raw []byte) Form {
	f := Form{Raw: raw}
	required := map[string]bool{}
	d.object(name, raw, func(key, value []byte) {
		switch string(key) {
		case "type":
			var kind string
			if d.str("type", value, &kind); kind != "object" && kind != "" {
				d.warn("type", "want object")
			}
		case "title":
			d.str("title", value, &f.Title)
		case "description":
			d.str("description", value, &f.Description)
		case "properties":
			d.object("properties", value, func(key, value []byte) {
				if len(f.Fields) == maxFields {
					d.warn("", "more than %d fields", maxFields)
					return
				}
				f.Fields = append(f.Fields, d.formField(string(key), value))
			})
		case "required":
			for _, name := range d.texts("required", value) {
				required[name] = true
			}
		}
	})
	for i := range f.Fields {
		f.Fields[i].Required = required[f.Fields[i].Name]
	}
	return f
}

func (d *decoder) formField(name string, raw []byte) FormField {
	f := FormField{Name: name, Raw: raw}
	var standard []byte
	d.object(name, raw, func(key, value []byte) {
		switch string(key) {
		case "type":
			d.str("type", value, (*string)(&f.Type))
		case "title":
			d.str("title", value, &f.Title)
		case "description":
			d.str("description", value, &f.Description)
		case "default":
			standard = value
		case "minLength":
			d.optInt("minLength", value, &f.MinLength)
		case "maxLength":
			d.optInt("maxLength", value, &f.MaxLength)
		case "pattern":
			d.str("pattern", value, &f.Pattern)
		case "format":
			d.str("format", value, (*string)(&f.Format))
		case "minimum":
			d.optNumber("minimum", value, &f.Minimum)
		case "maximum":
			d.optNumber("maximum", value, &f.Maximum)
		case "minItems":
			d.optInt("minItems", value, &f.MinItems)
		case "maxItems":
			d.optInt("maxItems", value, &f.MaxItems)
		case "enum", "oneOf":
			f.Choices = append(f.Choices, d.formChoices(string(key), value)...)
		case "items":
			d.object("items", value, func(key, value []byte) {
				switch string(key) {
				case "enum", "anyOf", "oneOf":
					f.Choices = append(f.Choices, d.formChoices(string(key), value)...)
				}
			})
		}
	})
	if !isAbsent(standard) {
		f.Default = d.formDefault(f.Type, standard)
	}
	return f
}

// formChoices reads a list of values, or of titled ones. It is not nil if there is a list: an empty one allows nothing.
func (d *decoder) formChoices(name string, raw []byte) []FormChoice {
	choices := []FormChoice{}
	ok := d.list(name, raw, func(value []byte) {
		var c FormChoice
		if value[0] == '"' {
			d.str("", value, &c.Value)
			choices = append(choices, c)
			return
		}
		if d.item(value, func(key, value []byte) {
			switch string(key) {
			case "const":
				d.str("const", value, &c.Value)
			case "title":
				d.str("title", value, &c.Title)
			case "description":
				d.str("description", value, &c.Description)
			}
		}) {
			choices = append(choices, c)
		}
	})
	if !ok {
		return nil
	}
	return choices
}

// formDefault returns nil for what is no value of the field.
func (d *decoder) formDefault(kind FormFieldType, raw []byte) any {
	before := len(d.warnings)
	var value any
	switch kind {
	case FieldBoolean:
		var b bool
		d.boolean("default", raw, &b)
		value = b
	case FieldInteger:
		var n int64
		d.integer("default", raw, &n)
		value = n
	case FieldNumber:
		var n float64
		d.number("default", raw, &n)
		value = n
	case FieldArray:
		value = d.texts("default", raw)
	case FieldString:
		fallthrough
	default:
		var text string
		d.str("default", raw, &text)
		value = text
	}
	if len(d.warnings) > before {
		return nil
	}
	return value
}

func (d *decoder) optNumber(name string, token []byte, dst **float64) {
	if isAbsent(token) {
		return
	}
	before := len(d.warnings)
	var n float64
	if d.number(name, token, &n); len(d.warnings) == before {
		*dst = &n
	}
}
