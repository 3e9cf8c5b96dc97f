package dev.millrace.graph.format;

import static dev.millrace.graph.proto.TensorProto.DOUBLE_DATA_FIELD_NUMBER;
import static dev.millrace.graph.proto.TensorProto.FLOAT_DATA_FIELD_NUMBER;
import static dev.millrace.graph.proto.TensorProto.INT32_DATA_FIELD_NUMBER;
import static dev.millrace.graph.proto.TensorProto.INT64_DATA_FIELD_NUMBER;
import static dev.millrace.graph.proto.TensorProto.UINT64_DATA_FIELD_NUMBER;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Remarks;
import dev.millrace.graph.ir.TensorNotes;
import dev.millrace.graph.proto.StringStringEntryProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code TensorProto}. Tensors are views of the file wherever the file holds their bytes as they are. */
final class TensorReader {
    private static final int EXTERNAL = 1;

    private final ExternalData external;

    TensorReader(ExternalData external) {
        this.external = external;
    }

    /** A tensor, what the file calls it, and what it says of it beside that. */
    record Named(String name, Tensor tensor, Remarks remarks) {
        TensorNotes notes() {
            return new TensorNotes(name, remarks);
        }
    }

    Named read(WireReader in) {
        var parts = new Parts();
        while (in.next()) {
            parts.take(in);
        }
        try {
            return new Named(parts.name, tensor(parts), Remarks.of(parts.documentation, parts.metadata));
        } catch (EngineException e) {
            throw parts.name.isEmpty() ? e : e.at("tensor '" + parts.name + "'");
        }
    }

    private Tensor tensor(Parts parts) {
        if (parts.segmented) {
            throw EngineException.notImplemented("it is split into segments, which no released operator set uses");
        }
        ElementType type = ElementType.requireCode(parts.type);
        Shape shape = shape(parts.dims);
        if (type == ElementType.STRING) {
            return strings(shape, parts);
        }
        long bytes = bytes(type, shape);
        if (parts.location == EXTERNAL) {
            Tensor given = external.tensor(parts.name);
            return given == null
                    ? Tensor.wrap(type, shape, externalBytes(parts.externalData, bytes))
                    : fitting(given, type, shape);
        }
        if (parts.raw != null && (parts.raw.byteSize() > 0 || parts.runs.isEmpty())) {
            if (parts.raw.byteSize() != bytes) {
                throw EngineException.invalidGraph(
                        "its raw_data has " + parts.raw.byteSize() + " bytes, but " + type + shape + " takes " + bytes);
            }
            return Tensor.wrap(type, shape, parts.raw);
        }
        if (parts.runs.isEmpty()) {
            return TypedData.decode(type, shape, List.of());
        }
        int field = fieldOf(type);
        if (field != parts.runField) {
            throw EngineException.invalidGraph("its data is in field " + parts.runField
                    + " of TensorProto; data of type " + type + " belongs in field " + field);
        }
        return TypedData.decode(type, shape, parts.runs);
    }

    private static Tensor fitting(Tensor given, ElementType type, Shape shape) {
        if (given.type() != type || !given.shape().equals(shape)) {
            throw EngineException.invalidArgument(
                    "it is a tensor of " + type + shape + ", and a " + given + " was given in its place");
        }
        return given;
    }

    static Shape shape(List<Long> dims) {
        try {
            return Shape.of(dims);
        } catch (EngineException e) {
            throw new EngineException(Status.INVALID_GRAPH, "its dims are wrong: " + e.getMessage(), e);
        }
    }

    static long bytes(ElementType type, Shape shape) {
        try {
            return type.bytes(shape.elements());
        } catch (EngineException e) {
            throw new EngineException(
                    Status.INVALID_GRAPH, "a tensor of " + type + shape + " is larger than any memory", e);
        }
    }

    private static Tensor strings(Shape shape, Parts parts) {
        if (parts.raw != null || parts.location == EXTERNAL) {
            throw EngineException.invalidGraph("strings belong in string_data, not in raw_data or an external file");
        }
        if (parts.strings.size() != shape.elements()) {
            throw EngineException.invalidGraph(
                    "its string_data has " + parts.strings.size() + " entries, but its shape is " + shape);
        }
        return Tensor.ofStrings(shape, parts.strings.toArray(String[]::new));
    }

    private static int fieldOf(ElementType type) {
        return switch (type) {
            case FLOAT, COMPLEX64 -> FLOAT_DATA_FIELD_NUMBER;
            case DOUBLE, COMPLEX128 -> DOUBLE_DATA_FIELD_NUMBER;
            case INT64 -> INT64_DATA_FIELD_NUMBER;
            case UINT32, UINT64 -> UINT64_DATA_FIELD_NUMBER;
            default -> INT32_DATA_FIELD_NUMBER;
        };
    }

    private MemorySegment externalBytes(Map<String, String> entries, long bytes) {
        String location = entries.getOrDefault("location", "");
        long offset = number(entries, "offset", 0);
        long length = number(entries, "length", bytes);
        if (length != bytes) {
            throw EngineException.invalidGraph(
                    "its external data claims " + length + " bytes, but its type and shape take " + bytes);
        }
        return external.slice(location, offset, bytes);
    }

    private static long number(Map<String, String> entries, String key, long otherwise) {
        String text = entries.get(key);
        if (text == null) {
            return otherwise;
        }
        try {
            String digits = text.strip();
            if (digits.chars().skip(digits.startsWith("-") ? 1 : 0).allMatch(c -> c >= '0' && c <= '9')) {
                return Long.parseLong(digits);
            }
        } catch (NumberFormatException e) {
            // there are none, or too many
        }
        throw EngineException.invalidGraph(
                "the " + key + " of its external data, '" + text + "', is no number of digits from 0 to 9");
    }

    static Map.Entry<String, String> readEntry(WireReader in) {
        String key = "";
        String value = "";
        while (in.next()) {
            switch (in.field()) {
                case StringStringEntryProto.KEY_FIELD_NUMBER -> key = in.text();
                case StringStringEntryProto.VALUE_FIELD_NUMBER -> value = in.text();
                default -> in.skip();
            }
        }
        return Map.entry(key, value);
    }

    /** The entries with the one that {@code in} holds; few messages have any, so a map is made for the first. */
    static Map<String, String> withEntry(Map<String, String> entries, WireReader in) {
        Map<String, String> all = entries.isEmpty() ? new LinkedHashMap<>() : entries;
        Map.Entry<String, String> entry = readEntry(in);
        all.put(entry.getKey(), entry.getValue());
        return all;
    }

    /** The fields of one message, in whatever order they came. */
    private static final class Parts {
        String name = "";
        long type;
        final List<Long> dims = new ArrayList<>();

        @Nullable
        MemorySegment raw;

        final List<String> strings = new ArrayList<>(0);
        int runField;
        final List<WireReader> runs = new ArrayList<>(1);
        long location;
        final Map<String, String> externalData = new HashMap<>(0);
        boolean segmented;
        DocString documentation = DocString.NONE;
        Map<String, String> metadata = Map.of();

        void take(WireReader in) {
            switch (in.field()) {
                case TensorProto.DIMS_FIELD_NUMBER -> in.varints(dims::add);
                case TensorProto.DATA_TYPE_FIELD_NUMBER -> type = in.varint();
                case TensorProto.NAME_FIELD_NUMBER -> name = in.text();
                case TensorProto.RAW_DATA_FIELD_NUMBER -> raw = in.bytes();
                case TensorProto.STRING_DATA_FIELD_NUMBER -> strings.add(in.text());
                case FLOAT_DATA_FIELD_NUMBER,
                        INT32_DATA_FIELD_NUMBER,
                        INT64_DATA_FIELD_NUMBER,
                        DOUBLE_DATA_FIELD_NUMBER,
                        UINT64_DATA_FIELD_NUMBER -> addRun(in.field(), in.run());
                case TensorProto.DATA_LOCATION_FIELD_NUMBER -> location = in.varint();
                case TensorProto.EXTERNAL_DATA_FIELD_NUMBER -> {
                    Map.Entry<String, String> entry = readEntry(in.message());
                    externalData.put(entry.getKey(), entry.getValue());
                }
                case TensorProto.DOC_STRING_FIELD_NUMBER -> documentation = in.docString();
                case TensorProto.METADATA_PROPS_FIELD_NUMBER -> metadata = withEntry(metadata, in.message());
                case TensorProto.SEGMENT_FIELD_NUMBER -> {
                    segmented = true;
                    in.skip();
                }
                default -> in.skip();
            }
        }

        private void addRun(int field, WireReader run) {
            if (run.remaining() == 0) {
                return;
            }
            if (!runs.isEmpty() && field != runField) {
                throw EngineException.invalidGraph("tensor '" + name + "' has data in two fields, " + runField + " and "
                        + field + " of TensorProto");
            }
            runField = field;
            runs.add(run);
        }
    }
}
