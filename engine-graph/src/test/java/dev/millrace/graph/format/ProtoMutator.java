package dev.millrace.graph.format;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.millrace.graph.proto.ModelProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Changes a field somewhere in a message, so that the message around it stays well-formed. */
final class ProtoMutator {
    private static final long[] WILD = {
        0, 1, -1, 2, 7, 127, 1L << 31, 1L << 40, 1L << 62, Long.MIN_VALUE, Long.MAX_VALUE
    };

    private final Random random;
    private final List<String> words = new ArrayList<>();

    private ProtoMutator(Random random) {
        this.random = random;
    }

    static byte[] mutate(ModelProto model, Random random) {
        var mutator = new ProtoMutator(random);
        mutator.collectWords(model);
        ModelProto.Builder builder = model.toBuilder();
        for (int i = 0; i <= random.nextInt(2); i++) {
            mutator.mutate(builder);
        }
        return builder.buildPartial().toByteArray();
    }

    private void collectWords(Message message) {
        message.getAllFields().forEach((field, value) -> {
            for (Object one : value instanceof List<?> list ? list : List.of(value)) {
                if (one instanceof Message inner) {
                    collectWords(inner);
                } else if (one instanceof String word) {
                    words.add(word);
                }
            }
        });
        words.add("");
    }

    private void mutate(Message.Builder message) {
        List<FieldDescriptor> fields = List.copyOf(message.getAllFields().keySet());
        if (fields.isEmpty() || random.nextInt(12) == 0) {
            List<FieldDescriptor> all = message.getDescriptorForType().getFields();
            FieldDescriptor field = all.get(random.nextInt(all.size()));
            if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE && !field.isRepeated()) {
                message.setField(field, wild(field));
            }
            return;
        }
        FieldDescriptor field = fields.get(random.nextInt(fields.size()));
        int index = field.isRepeated() ? random.nextInt(message.getRepeatedFieldCount(field)) : 0;
        Object value = field.isRepeated() ? message.getRepeatedField(field, index) : message.getField(field);
        boolean descend = value instanceof Message && random.nextInt(8) != 0;
        Object changed = descend ? mutated((Message) value) : value instanceof Message ? value : wild(field);
        if (!field.isRepeated()) {
            if (descend || random.nextInt(3) != 0) {
                message.setField(field, changed);
            } else {
                message.clearField(field);
            }
        } else if (descend || random.nextBoolean()) {
            message.setRepeatedField(field, index, changed);
        } else if (random.nextBoolean()) {
            message.addRepeatedField(field, changed);
        } else {
            var rest = new ArrayList<>((List<?>) message.getField(field));
            rest.remove(index);
            message.setField(field, rest);
        }
    }

    private Message mutated(Message message) {
        Message.Builder builder = message.toBuilder();
        mutate(builder);
        return builder.buildPartial();
    }

    private Object wild(FieldDescriptor field) {
        long number = WILD[random.nextInt(WILD.length)];
        return switch (field.getJavaType()) {
            case INT -> (int) number;
            case LONG -> number;
            case FLOAT -> (float) number;
            case DOUBLE -> (double) number;
            case BOOLEAN -> number > 0;
            case STRING -> words.get(random.nextInt(words.size()));
            case BYTE_STRING -> ByteString.copyFrom(new byte[random.nextInt(40)]);
            case ENUM ->
                field.getEnumType()
                        .getValues()
                        .get(random.nextInt(field.getEnumType().getValues().size()));
            case MESSAGE -> throw new IllegalArgumentException(field.getFullName());
        };
    }
}
