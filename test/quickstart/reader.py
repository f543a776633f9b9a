"""Reads a document that classify has labelled in headers, with Confluent's deserializer: prints its text and its label."""
import sys

from confluent_kafka import Consumer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext

brokers, topic, url = sys.argv[1:]
consumer = Consumer({"bootstrap.servers": brokers, "group.id": "readers", "auto.offset.reset": "earliest",
                     "topic.metadata.refresh.interval.ms": 500})
consumer.subscribe([topic])
record = None
while record is None or record.error():
    record = consumer.poll(1)
mail = AvroDeserializer(SchemaRegistryClient({"url": url}))(record.value(), SerializationContext(topic, MessageField.VALUE))
print(mail["text"], dict(record.headers())["bayestream-label"].decode(), sep=": ")
consumer.close()
