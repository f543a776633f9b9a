package console

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"

	"go.yaml.in/yaml/v3"
)

// contract is openapi.yaml.
type contract struct{ root map[string]any }

func readContract(t *testing.T) *contract {
	t.Helper()
	text := filetest.Read(t, "openapi.yaml")
	c := &contract{}
	if err := yaml.Unmarshal(text, &c.root); err != nil {
		t.Fatal(err)
	}
	return c
}

// at returns what stands at a path of keys; nil if nothing does.
func at(from any, keys ...string) any {
	for _, key := range keys {
		members, _ := from.(map[string]any)
		from = members[key]
	}
	return from
}

// follow returns a schema or parameter, or that which it refers to.
func (c *contract) follow(v any) map[string]any {
	m, _ := v.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		return c.follow(at(c.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
	}
	return m
}

// check returns how a value, as JSON or YAML decodes it, differs from a schema. Of an object it
// refuses properties that the schema does not name.
func (c *contract) check(v any, schema any, where string) (found []string) {
	s := c.follow(schema)
	if s == nil {
		return []string{where + ": there is no schema"}
	}
	if choices, ok := s["oneOf"].([]any); ok {
		return c.checkChoices(v, choices, where)
	}
	if allowed, ok := s["enum"].([]any); ok && !slices.Contains(allowed, v) {
		found = append(found, fmt.Sprintf("%s: %v is none of %v", where, v, allowed))
	}
	types, _ := s["type"].([]any)
	if name, ok := s["type"].(string); ok {
		types = []any{name}
	}
	if !slices.ContainsFunc(types, func(name any) bool { return hasType(v, name) }) {
		return append(found, fmt.Sprintf("%s: %v (%T) is no %v", where, v, v, types))
	}
	switch v := v.(type) {
	case map[string]any:
		found = append(found, c.checkObject(v, s, where)...)
	case []any:
		for i, item := range v {
			found = append(found, c.check(item, s["items"], fmt.Sprintf("%s[%d]", where, i))...)
		}
	}
	return found
}

func (c *contract) checkChoices(v any, choices []any, where string) (found []string) {
	for _, choice := range choices {
		problems := c.check(v, choice, where)
		if len(problems) == 0 {
			return nil
		}
		if len(problems) > len(found) {
			found = problems
		}
	}
	return found
}

func (c *contract) checkObject(v, s map[string]any, where string) (found []string) {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			found = append(found, where+": "+name.(string)+" is missing")
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		schema, known := properties[name]
		if !known {
			schema, known = s["additionalProperties"]
		}
		if !known {
			found = append(found, where+": "+name+" is not in the schema")
			continue
		}
		found = append(found, c.check(v[name], schema, where+"."+name)...)
	}
	return found
}

func hasType(v any, name any) bool {
	switch name {
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "null":
		return v == nil
	}
	n, ok := v.(float64)
	if whole, isInt := v.(int); isInt {
		n, ok = float64(whole), true
	}
	return ok && (name == "number" || n == math.Trunc(n))
}

// The examples of the contract are what it promises.
func TestExamplesFollowTheContract(t *testing.T) {
	c := readContract(t)
	checked := 0
	example := func(media any, where string) {
		if e := at(media, "example"); e != nil {
			checked++
			for _, problem := range c.check(e, at(media, "schema"), where) {
				t.Error(problem)
			}
		}
		examples, _ := at(media, "examples").(map[string]any)
		for name, e := range examples {
			checked++
			for _, problem := range c.check(at(e, "value"), at(media, "schema"), where+" "+name) {
				t.Error(problem)
			}
		}
	}
	for path, item := range at(c.root, "paths").(map[string]any) {
		for method, op := range item.(map[string]any) {
			where := method + " " + path
			example(at(op, "requestBody", "content", "application/json"), where)
			for status, response := range at(op, "responses").(map[string]any) {
				media := at(response, "content").(map[string]any)
				for _, m := range media {
					if at(m, "example") == nil {
						t.Errorf("%s: %s has no example", where, status)
					}
					example(m, where+" "+status)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d examples were checked", checked)
	}
}
