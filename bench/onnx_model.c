/* Messages and field numbers are those of onnx.proto, which the ONNX specification gives. */
#include "onnx_model.h"

#include <assert.h>
#include <string.h>

typedef struct buffer {
    uint8_t bytes[ONNX_MODEL_MOST];
    size_t length;
} buffer;

static void put_byte(buffer *b, unsigned byte)
{
    assert(b->length < ONNX_MODEL_MOST);
    b->bytes[b->length++] = (uint8_t)byte;
}

static void put_varint(buffer *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(b, (unsigned)(value & 0x7f) | 0x80);
    put_byte(b, (unsigned)value);
}

static void put_number(buffer *b, unsigned field, int64_t value)
{
    put_varint(b, field << 3);
    put_varint(b, (uint64_t)value);
}

static void put_bytes(buffer *b, unsigned field, const void *bytes, size_t length)
{
    put_varint(b, field << 3 | 2);
    put_varint(b, length);
    for (size_t i = 0; i < length; i++)
        put_byte(b, ((const uint8_t *)bytes)[i]);
}

static void put_text(buffer *b, unsigned field, const char *text) { put_bytes(b, field, text, strlen(text)); }

static void put_message(buffer *b, unsigned field, const buffer *message)
{
    put_bytes(b, field, message->bytes, message->length);
}

/* ValueInfoProto: name 1, type 2; TypeProto: tensor_type 1; its elem_type 1, shape 2; TensorShapeProto: dim 1; its value 1 */
static void put_array(buffer *b, unsigned field, const onnx_array *array)
{
    buffer shape = { .length = 0 }, tensor = { .length = 0 }, type = { .length = 0 }, info = { .length = 0 };
    for (size_t i = 0; i < array->rank; i++) {
        buffer dim = { .length = 0 };
        put_number(&dim, 1, array->sizes[i]);
        put_message(&shape, 1, &dim);
    }
    put_number(&tensor, 1, array->type);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&info, 1, array->name);
    put_message(&info, 2, &type);
    put_message(b, field, &info);
}

/* NodeProto: input 1, output 2, op_type 4, attribute 5, domain 7; AttributeProto: name 1, i 3, type 20 (INT is 2) */
static void put_node(buffer *b, unsigned field, const onnx_node *node)
{
    buffer message = { .length = 0 };
    for (size_t i = 0; i < node->in_count; i++)
        put_text(&message, 1, node->ins[i].name);
    for (size_t i = 0; i < node->out_count; i++)
        put_text(&message, 2, node->outs[i].name);
    put_text(&message, 4, node->op);
    for (size_t i = 0; i < node->attribute_count; i++) {
        buffer attribute = { .length = 0 };
        put_text(&attribute, 1, node->attributes[i].name);
        put_number(&attribute, 3, node->attributes[i].value);
        put_number(&attribute, 20, 2);
        put_message(&message, 5, &attribute);
    }
    put_text(&message, 7, node->domain);
    put_message(b, field, &message);
}

/* OperatorSetIdProto: domain 1, version 2 */
static void put_opset(buffer *b, const char *domain, int64_t version)
{
    buffer message = { .length = 0 };
    put_text(&message, 1, domain);
    put_number(&message, 2, version);
    put_message(b, 8, &message);
}

/* ModelProto: ir_version 1, graph 7, opset_import 8; GraphProto: node 1, name 2, input 11, output 12 */
size_t onnx_model(const onnx_node *node, uint8_t *ret_bytes)
{
    buffer graph = { .length = 0 }, model = { .length = 0 };
    put_node(&graph, 1, node);
    put_text(&graph, 2, "bench");
    for (size_t i = 0; i < node->in_count; i++)
        if (*node->ins[i].name)
            put_array(&graph, 11, &node->ins[i]);
    for (size_t i = 0; i < node->out_count; i++)
        put_array(&graph, 12, &node->outs[i]);
    put_number(&model, 1, 8);
    put_message(&model, 7, &graph);
    put_opset(&model, "", 17);
    put_opset(&model, "com.microsoft", 1);
    memcpy(ret_bytes, model.bytes, model.length);
    return model.length;
}
