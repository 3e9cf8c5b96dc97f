package dev.millrace.server.config;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.protocol.ModelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A configuration as a text: that of {@code config.pbtxt} and that of the protocol's JSON. */
public final class ConfigFile {
    public static final String NAME = "config.pbtxt";
    private static final long MOST_BYTES = 1 << 20;

    private ConfigFile() {}

    /** Reads the configuration of a model's folder; an empty one where there is none. */
    public static ModelConfig read(Path folder) {
        Path file = folder.resolve(NAME);
        if (!Files.exists(file)) {
            return ModelConfig.getDefaultInstance();
        }
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw EngineException.invalidArgument(file + " has more than " + MOST_BYTES + " bytes");
            }
            return parse(Files.readString(file), file.toString());
        } catch (IOException e) {
            throw new EngineException(Status.INVALID_ARGUMENT, file + " cannot be read: " + e, e);
        }
    }

    /** @param place the name of the text in error messages */
    public static ModelConfig parse(String text, String place) {
        var config = ModelConfig.newBuilder();
        try {
            TextFormat.getParser().merge(text, config);
            return config.build();
        } catch (TextFormat.ParseException e) {
            throw new EngineException(Status.INVALID_ARGUMENT, place + ":" + e.getMessage(), e);
        }
    }

    /** Reads the configuration that a request to load a model brings. */
    public static ModelConfig parseJson(String json) {
        var config = ModelConfig.newBuilder();
        try {
            JsonFormat.parser().merge(json, config);
            return config.build();
        } catch (InvalidProtocolBufferException e) {
            throw new EngineException(Status.INVALID_ARGUMENT, "the parameter 'config': " + e.getMessage(), e);
        }
    }

    /** Returns the configuration as a tree, whose names are those of the file and whose numbers are numbers. */
    public static Map<String, @Nullable Object> tree(MessageOrBuilder message) {
        var tree = new LinkedHashMap<String, @Nullable Object>();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (field.isMapField()) {
                tree.put(field.getName(), map(field, (List<?>) message.getField(field)));
            } else if (field.isRepeated()) {
                tree.put(
                        field.getName(),
                        ((List<?>) message.getField(field))
                                .stream().map(ConfigFile::value).toList());
            } else if (!field.hasPresence() || message.hasField(field)) {
                tree.put(field.getName(), value(message.getField(field)));
            }
        }
        return tree;
    }

    private static Map<String, @Nullable Object> map(FieldDescriptor field, List<?> entries) {
        var keys = field.getMessageType();
        var map = new LinkedHashMap<String, @Nullable Object>();
        for (Object entry : entries) {
            var message = (Message) entry;
            map.put(
                    String.valueOf(message.getField(keys.findFieldByName("key"))),
                    value(message.getField(keys.findFieldByName("value"))));
        }
        return map;
    }

    private static Object value(Object value) {
        return switch (value) {
            case Message message -> tree(message);
            case EnumValueDescriptor constant -> constant.getName();
            default -> value;
        };
    }
}
