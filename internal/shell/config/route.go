package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec/spelling"
)

// Route sends the decisions that fit one condition to a topic. One of Label, Status and Below is
// set.
type Route struct {
	Label  string  // OtherLabels: all that fits no other route, whatever the label
	Status string  // of the decision
	Below  float64 // the posterior of the label is below it, or there is no label
	Topic  string
}

// OtherLabels is the condition of --route for all that fits no other one.
const OtherLabels = "*"

// Routes returns --route in order: the first that fits holds, and OtherLabels after all others.
func (c Classify) Routes() []Route {
	routes, _ := c.routes()
	return routes
}

// routes reads --route. A condition without a topic has the one of the next.
func (c Classify) routes() (routes []Route, problems []error) {
	seen := map[Route]bool{}
	var waiting []Route
	for _, text := range c.Route {
		condition, topic, hasTopic := cutRoute(text)
		route, err := readCondition(condition)
		if err != nil {
			problems = append(problems, err)
		}
		if err == nil && seen[route] {
			problems = append(problems, fmt.Errorf("--route: %q is there twice", condition))
		}
		seen[route] = true
		waiting = append(waiting, route)
		if !hasTopic {
			continue
		}
		problems = append(problems, c.routeTopicProblems(topic)...)
		for _, w := range waiting {
			w.Topic = topic
			routes = append(routes, w)
		}
		waiting = nil
	}
	if len(waiting) > 0 {
		const want = "--route: %q has no topic: want IF=TOPIC, like spam=quarantine or unsure,cold=review"
		problems = append(problems, fmt.Errorf(want, c.Route[len(c.Route)-1]))
	}
	return routes, problems
}

// cutRoute cuts IF=TOPIC, or returns a condition whose topic follows. A label may hold an equals
// sign, a topic may not.
func cutRoute(text string) (condition, topic string, hasTopic bool) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return strings.TrimSpace(text), "", false
	}
	return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+1:]), true
}

// statuses are the conditions that are a status of a decision, and no label.
var statuses = []string{model.StatusOK, model.StatusUnsure, model.StatusCold, model.StatusEmpty}

func readCondition(condition string) (Route, error) {
	label, isLabel := strings.CutPrefix(condition, "label:") // may be the name of a status
	if label == "" {
		return Route{}, errors.New("--route: a condition is empty: want a label, a status, posterior<N or *")
	}
	if isLabel {
		return Route{Label: label}, nil
	}
	if slices.Contains(statuses, condition) {
		return Route{Status: condition}, nil
	}
	if strings.ContainsAny(condition, "<>") {
		return readBound(condition)
	}
	if meant := spelling.Alike(condition, statuses); len(meant) > 0 {
		return Route{}, fmt.Errorf("--route: %q: write %s for the status, or label:%s for the label", condition, meant[0],
			condition)
	}
	return Route{Label: label}, nil
}

// readBound reads a condition on the posterior.
func readBound(condition string) (Route, error) {
	name, number, _ := strings.Cut(condition, "<")
	if strings.TrimSpace(name) != "posterior" {
		return Route{}, fmt.Errorf("--route: %q is no condition: want posterior<N, like posterior<0.8, or label:%s for the "+
			"label", condition, condition)
	}
	below, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(below > 0 && below <= 1) {
		return Route{}, fmt.Errorf("--route: %q: want a number above 0, up to 1, like posterior<0.8", condition)
	}
	return Route{Below: below}, nil
}

// RouteDoubts returns a sentence for each condition of --route that is a label, but may be a
// misspelt status.
func (c Classify) RouteDoubts() (doubts []string) {
	for _, text := range c.Route {
		condition, _, _ := cutRoute(text)
		if slices.Contains(statuses, condition) {
			continue
		}
		if meant := spelling.Neighbours(condition, statuses); len(meant) > 0 {
			doubts = append(doubts, fmt.Sprintf("%q is taken for a label: write %s for the status, or label:%s for the label",
				condition, meant[0], condition))
		}
	}
	return doubts
}

// routeTopicProblems checks a topic of --route. Several routes may have one topic, also the one of
// the decisions without a route.
func (c Classify) routeTopicProblems(topic string) []error {
	if err := checkTopic("--route", topic); err != nil {
		return []error{err}
	}
	taken := map[string]string{c.DocumentsTopic: "--documents-topic", c.ModelTopic: "--model-topic",
		c.DeadTopic: "--dead-letter-topic"}
	if owner, is := taken[topic]; is {
		return []error{fmt.Errorf("--route and %s are both %q: they need different topics", owner, topic)}
	}
	return nil
}
