package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import dev.millrace.server.config.ConfigRules;
import dev.millrace.server.protocol.ModelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that the guide on migrating says of each field of config.pbtxt what the server does with it. */
class MigrationGuideTest {
    private static final Path GUIDE = Path.of("../docs/guide/migrating-to-the-server.md");
    private static final Pattern ROW =
            Pattern.compile("\\| `([a-z_.]+)` \\| (honoured|mapped|no effect|refused) \\| ?(.*?) ?\\|");

    /** The values of fields of which not every value is honoured. */
    private static final Map<String, String> VALUES = Map.of(
            "name", "name: 'm'",
            "platform", "platform: 'onnxruntime_onnx'",
            "backend", "backend: 'onnxruntime'",
            "instance_group.kind", "instance_group { kind: KIND_CPU }",
            "dynamic_batching.priority_levels", "dynamic_batching { priority_levels: 2 default_priority_level: 1 }");

    /** The words of the page on a field. */
    private record Row(String field, String here, String how) {}

    private static Map<String, Row> rows() throws IOException {
        var rows = new LinkedHashMap<String, Row>();
        ROW.matcher(Files.readString(GUIDE)).results().forEach(found -> {
            var row = new Row(found.group(1), found.group(2), found.group(3));
            assertThat(rows.put(row.field, row)).as(row.field).isNull();
        });
        return rows;
    }

    /** Lists the paths of all fields that are no messages with fields. */
    private static void addFields(String prefix, Descriptor type, List<String> fields) {
        for (FieldDescriptor field : type.getFields()) {
            String path = prefix + field.getName();
            boolean hasFields = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && !field.isMapField()
                    && !field.getMessageType().getFields().isEmpty();
            if (hasFields) {
                addFields(path + ".", field.getMessageType(), fields);
            } else {
                fields.add(path);
            }
        }
    }

    @Test
    void eachFieldHasARowOrBelongsToAMessageThatHasOne() throws IOException {
        var fields = new ArrayList<String>();
        addFields("", ModelConfig.getDescriptor(), fields);
        assertThat(fields).hasSizeGreaterThan(100);
        Map<String, Row> rows = rows();
        for (String field : fields) {
            assertThat(rows.keySet()).as(field).anyMatch(row -> field.equals(row) || field.startsWith(row + "."));
        }
        for (String row : rows.keySet()) {
            assertThat(fields).as(row).anyMatch(field -> field.equals(row) || field.startsWith(row + "."));
        }
    }

    @Test
    void theServerAcceptsAndRefusesFieldsAsTheirRowsSay() throws Exception {
        for (Row row : rows().values()) {
            ModelConfig config = config(row.field);
            if (row.here.equals("refused")) {
                String sentence = Arrays.stream(row.how.split("NAME", -1))
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*"));
                assertThatThrownBy(() -> ConfigRules.check(config, "m"))
                        .as(row.field)
                        .hasMessageMatching("config\\.pbtxt " + sentence);
            } else {
                ConfigRules.check(config, "m");
            }
        }
    }

    /** Returns a configuration that has a field, and the little that the field needs. */
    private static ModelConfig config(String field) throws Exception {
        var config = ModelConfig.newBuilder();
        String base = field.startsWith("ensemble_scheduling")
                ? "platform: 'ensemble' input { name: 'x' } output { name: 'y' }"
                : "max_batch_size: 8";
        TextFormat.merge(base + " " + VALUES.getOrDefault(field, ""), config);
        if (!VALUES.containsKey(field)) {
            set(config, List.of(field.split("\\.")));
        }
        return config.build();
    }

    private static void set(Message.Builder message, List<String> path) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(path.getFirst());
        List<String> rest = path.subList(1, path.size());
        if (field.isRepeated()) {
            Message.Builder entry =
                    field.getJavaType() == FieldDescriptor.JavaType.MESSAGE ? message.newBuilderForField(field) : null;
            if (entry != null) {
                fill(entry, rest);
            }
            message.addRepeatedField(field, entry == null ? sample(field) : entry.build());
        } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            Message.Builder inner = message.newBuilderForField(field);
            fill(inner, rest);
            message.setField(field, inner.build());
        } else {
            message.setField(field, sample(field));
        }
    }

    /** Sets the field that a path names; without one, the first field. */
    private static void fill(Message.Builder message, List<String> path) {
        if (!path.isEmpty()) {
            set(message, path);
        } else if (!message.getDescriptorForType().getFields().isEmpty()) {
            set(
                    message,
                    List.of(message.getDescriptorForType()
                            .getFields()
                            .getFirst()
                            .getName()));
        }
    }

    private static Object sample(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case INT -> 1;
            case LONG -> 1L;
            case FLOAT -> 1f;
            case DOUBLE -> 1d;
            case BOOLEAN -> true;
            case STRING -> "x";
            case ENUM -> field.getEnumType().getValues().get(1);
            case BYTE_STRING, MESSAGE -> throw new IllegalArgumentException(field.getFullName());
        };
    }
}
