package config

import (
	"fmt"
	"strings"
)

// OtherLabels means, in --route, all labels that it does not name.
const OtherLabels = "*"

// Routes returns the topic of each label in --route.
func (c Classify) Routes() map[string]string {
	topics := map[string]string{}
	for _, route := range c.Route {
		if label, topic, ok := cutRoute(route); ok {
			topics[label] = topic
		}
	}
	return topics
}

// cutRoute cuts LABEL=TOPIC. A label may hold an equals sign, a topic may not.
func cutRoute(route string) (label, topic string, ok bool) {
	at := strings.LastIndexByte(route, '=')
	if at < 0 {
		return "", "", false
	}
	label = strings.TrimSpace(route[:at])
	return label, strings.TrimSpace(route[at+1:]), label != ""
}

// routeProblems checks --route. Several labels may have one topic, also that of the decisions
// without a route.
func (c Classify) routeProblems() (found []error) {
	taken := map[string]string{c.DocumentsTopic: "--documents-topic", c.ModelTopic: "--model-topic",
		c.DeadTopic: "--dead-letter-topic"}
	seen := map[string]bool{}
	for _, route := range c.Route {
		label, topic, ok := cutRoute(route)
		if !ok {
			found = append(found, fmt.Errorf("--route: %q is not LABEL=TOPIC, like spam=quarantine", route))
			continue
		}
		if seen[label] {
			found = append(found, fmt.Errorf("--route: the label %q has two topics", label))
		}
		seen[label] = true
		if err := checkTopic("--route", topic); err != nil {
			found = append(found, err)
		} else if owner, is := taken[topic]; is {
			found = append(found, fmt.Errorf("--route and %s are both %q: they need different topics", owner, topic))
		}
	}
	return found
}
