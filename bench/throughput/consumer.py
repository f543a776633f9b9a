"""A plain consumer with scikit-learn, for bench/throughput to measure: learns the training topic, then labels
documents and writes JSON decisions, in batches of 500.

    python consumer.py BROKERS TRAINING DOCUMENTS LABELS GROUP
"""
import json
import sys

from confluent_kafka import Consumer, Producer, TopicPartition
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

brokers, training, documents, labels, group = sys.argv[1:]
settings = {"bootstrap.servers": brokers, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False,
            "queued.min.messages": 200000, "fetch.queue.backoff.ms": 5}


def read_all(topic):
    """Returns all values of a topic."""
    consumer = Consumer(settings)
    parts = [TopicPartition(topic, p, 0) for p in consumer.list_topics(topic).topics[topic].partitions]
    left = sum(consumer.get_watermark_offsets(p)[1] for p in parts)
    consumer.assign(parts)
    while left > 0:
        for message in consumer.consume(500, 1.0):
            left -= 1
            yield json.loads(message.value())
    consumer.close()


known = list(read_all(training))
vectorizer = CountVectorizer()
model = MultinomialNB().fit(vectorizer.fit_transform(x["text"] for x in known), [x["label"] for x in known])
names = list(model.classes_)

consumer = Consumer(settings)
producer = Producer({"bootstrap.servers": brokers, "acks": "all", "linger.ms": 5, "queue.buffering.max.messages": 1000000})
consumer.subscribe([documents])
while True:
    messages = [m for m in consumer.consume(500, 0.2) if not m.error()]
    if not messages:
        continue
    read = [json.loads(m.value()) for m in messages]
    scores = model.predict_log_proba(vectorizer.transform(x["text"] for x in read))
    for m, x, row in zip(messages, read, scores):
        decision = {"id": x["id"], "label": names[row.argmax()], "log_posterior": dict(zip(names, row.tolist()))}
        producer.produce(labels, json.dumps(decision), key=m.key(), partition=m.partition())
    producer.flush()
    consumer.commit(asynchronous=False)
