package e2e

import (
	"testing"

	"bayestream/internal/testing/kafkatest"
)

// sound are the settings that a model topic must have.
func sound() map[string]string {
	return map[string]string{
		"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", "max.message.bytes": "4194304", "unclean.leader.election.enable": "false",
	}
}

// TestWeakModelTopic: a model topic that may lose records is refused by both workers with a
// sentence that names each setting, unless a flag allows it; one partition without
// compaction is needed whatever the flag says.
func TestWeakModelTopic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting, value, says string
	}{
		{"retention.ms", "604800000", "retention.ms is 604800000, want -1"},
		{"retention.bytes", "1000000", "retention.bytes is 1000000, want -1"},
		{"max.message.bytes", "1048588", "max.message.bytes is 1048588, want 4194304"},
		{"unclean.leader.election.enable", "true", "unclean.leader.election.enable is true, want false"},
	} {
		p := newPipeline(t, 1)
		settings := sound()
		settings[c.setting] = c.value
		p.createTopic(p.model, 1, settings)
		for _, worker := range []*running{p.runIngest(), p.runClassify()} {
			worker.failure(p.model, c.says, "--allow-weak-topic")
		}
		if c.setting == "retention.ms" {
			p.startIngest("--allow-weak-topic").stop()
		}
	}
	p := newPipeline(t, 1)
	larger := sound()
	larger["max.message.bytes"] = "8388608"
	p.createTopic(p.model, 1, larger)
	p.startIngest().stop()

	p = newPipeline(t, 1)
	p.createTopic(p.model, 2, sound())
	p.runIngest("--allow-weak-topic").failure(p.model, "has 2 partitions and must have one")

	p = newPipeline(t, 1)
	compacted := sound()
	compacted["cleanup.policy"] = "compact,delete"
	p.createTopic(p.model, 1, compacted)
	p.runIngest("--allow-weak-topic").failure(p.model, "has cleanup.policy=compact,delete: a compacted topic takes no records")
}

// TestTopicsThatDoNotFit: a compacted training topic, a labels topic with too few partitions, and
// topics that are not there are refused.
func TestTopicsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"compact", "compact,delete"} {
		p := newPipeline(t, 1)
		p.training = kafkatest.Topic(t, 1, map[string]string{"cleanup.policy": policy})
		p.runIngest().failure(p.training, "cleanup.policy="+policy)
	}
	p := newPipeline(t, 3)
	p.createTopic(p.labels, 2, nil)
	p.startIngest()
	p.runClassify().failure(p.labels, "has 2 partitions", "has 3")

	p = newPipeline(t, 1)
	p.training = "there-is-no-such-topic"
	p.runIngest("--create-topics=false").failure(p.model, "does not exist", "--create-topics")
	p.createTopic(p.model, 1, sound())
	p.createTopic(p.dead, 1, nil)
	p.runIngest("--create-topics=false").failure(p.training, "does not exist", "--create-topics")
}
