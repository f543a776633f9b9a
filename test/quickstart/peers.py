"""Serializes one mail with Confluent's serializers: Avro, JSON Schema and Protobuf. The id of the schema is in a frame, or
its GUID in a header. Prints the value and the header, a line each, in hexadecimal."""
import datetime
import decimal
import json
import sys

from confluent_kafka.schema_registry import SchemaRegistryClient, header_schema_id_serializer, prefix_schema_id_serializer
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

registry = SchemaRegistryClient({"url": sys.argv[1]})

AVRO = json.dumps({
    "type": "record", "name": "Mail", "namespace": "shop", "fields": [
        {"name": "id", "type": "string"}, {"name": "body", "type": {"type": "record", "name": "Body", "fields": [
            {"name": "text", "type": ["null", "string"]}]}},
        {"name": "team", "type": {"type": "enum", "name": "Team", "symbols": ["HAM", "SPAM"]}},
        {"name": "sent_at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 8, "scale": 2}},
        {"name": "sizes", "type": {"type": "map", "values": "int"}}]})
JSON = json.dumps({"title": "Mail", "type": "object", "properties": {"id": {"type": "string"}, "body": {"type": "object"}}})


def protobuf():
    file = descriptor_pb2.FileDescriptorProto(name="mail.proto", package="shop", syntax="proto3",
                                              dependency=["google/protobuf/timestamp.proto"])
    file.message_type.add(name="Other")
    mail = file.message_type.add(name="Mail")
    body = mail.nested_type.add(name="Body")
    kind = descriptor_pb2.FieldDescriptorProto
    one = kind.LABEL_OPTIONAL
    body.field.add(name="text", number=1, type=kind.TYPE_STRING, label=one)
    team = file.enum_type.add(name="Team")
    team.value.add(name="HAM", number=0)
    team.value.add(name="SPAM", number=1)
    mail.field.add(name="id", number=1, type=kind.TYPE_STRING, label=one)
    mail.field.add(name="body", number=2, type=kind.TYPE_MESSAGE, type_name=".shop.Mail.Body", label=one)
    mail.field.add(name="team", number=3, type=kind.TYPE_ENUM, type_name=".shop.Team", label=one)
    mail.field.add(name="sent_at", number=4, type=kind.TYPE_MESSAGE, type_name=".google.protobuf.Timestamp", label=one)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Mail"))


Mail = protobuf()
at = datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.timezone.utc)
plain = {"id": "m1", "body": {"text": "Grüße"}, "team": "SPAM"}
message = Mail(id="m1", team=1)
message.body.text = "Grüße"
message.sent_at.FromDatetime(at)
values = {
    "avro": (AvroSerializer, (registry, AVRO), dict(plain, sent_at=at, price=decimal.Decimal("-12.30"), sizes={"a": 1})),
    "json": (JSONSerializer, (JSON, registry), plain),
    "protobuf": (ProtobufSerializer, (Mail, registry), message),
}
form = {"frame": prefix_schema_id_serializer, "header": header_schema_id_serializer}[sys.argv[2]]
for name, (serializer, of, value) in values.items():
    conf = {"schema.id.serializer": form}
    if name == "protobuf":
        conf["use.deprecated.format"] = False
    headers = []
    context = SerializationContext(f"{name}-mails", MessageField.VALUE, headers)
    written = serializer(*of, conf=conf)(value, context)
    print(written.hex(), headers[0][1].hex() if headers else "")
