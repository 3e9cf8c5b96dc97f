package dev.millrace.bench.reference;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.reference.OrtApi.Call;
import dev.millrace.bench.reference.OrtApi.Release;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts values of this engine to ONNX Runtime's, and back. */
final class OrtValues {
    private static final int TENSOR = 1;
    private static final int SEQUENCE = 2;
    private static final int MAP = 3;
    private static final int ALIGNMENT = 64;

    /** The element types whose numbers in ONNX Runtime differ from ONNX's. */
    private static final Map<ElementType, Integer> OWN_NUMBERS =
            Map.of(ElementType.UINT2, 24, ElementType.INT2, 25, ElementType.FLOAT8E8M0, 26);

    private final OrtApi api;
    private final MemorySegment allocator;
    private final MemorySegment memory;

    OrtValues(OrtApi api) throws OrtException {
        this.api = api;
        this.allocator = api.get(Call.DEFAULT_ALLOCATOR);
        this.memory = api.get(Call.CPU_MEMORY_INFO, 1, 0);
    }

    /** Converts a value, with its memory in {@code arena}; the caller releases it before the arena closes. */
    MemorySegment give(Datum datum, Arena arena) throws OrtException {
        return switch (datum) {
            case Tensor tensor when tensor.type() == ElementType.STRING -> strings(tensor, arena);
            case Tensor tensor -> numbers(tensor, arena);
            case TensorSequence sequence -> composed(SEQUENCE, sequence.elements(), arena);
            case MapDatum map -> composed(MAP, List.of(keys(map), values(map)), arena);
            case OptionalDatum optional -> {
                if (optional.value() == null) {
                    throw new OrtException("an optional that is empty cannot be given");
                }
                yield give(optional.value(), arena);
            }
        };
    }

    private MemorySegment numbers(Tensor tensor, Arena arena) throws OrtException {
        MemorySegment from = tensor.segment();
        MemorySegment data = arena.allocate(Math.max(1, from.byteSize()), ALIGNMENT);
        MemorySegment.copy(from, 0, data, 0, from.byteSize());
        Shape shape = tensor.shape();
        return api.get(
                Call.WRAP_TENSOR,
                memory,
                data,
                from.byteSize(),
                dims(shape, arena),
                (long) shape.rank(),
                number(tensor.type()));
    }

    private MemorySegment strings(Tensor tensor, Arena arena) throws OrtException {
        Shape shape = tensor.shape();
        MemorySegment value = api.get(
                Call.CREATE_TENSOR, allocator, dims(shape, arena), (long) shape.rank(), number(ElementType.STRING));
        String[] strings = tensor.strings();
        MemorySegment texts = arena.allocate(ADDRESS, Math.max(1, strings.length));
        for (int i = 0; i < strings.length; i++) {
            texts.setAtIndex(ADDRESS, i, arena.allocateFrom(strings[i]));
        }
        api.call(Call.FILL_STRINGS, value, texts, (long) strings.length);
        return value;
    }

    private static MemorySegment dims(Shape shape, Arena arena) {
        MemorySegment dims = arena.allocate(JAVA_LONG, Math.max(1, shape.rank()));
        MemorySegment.copy(shape.toArray(), 0, dims, JAVA_LONG, 0, shape.rank());
        return dims;
    }

    private MemorySegment composed(int type, List<? extends Datum> parts, Arena arena) throws OrtException {
        MemorySegment values = arena.allocate(ADDRESS, Math.max(1, parts.size()));
        try {
            for (int i = 0; i < parts.size(); i++) {
                values.setAtIndex(ADDRESS, i, give(parts.get(i), arena));
            }
            return api.get(Call.CREATE_VALUE, values, (long) parts.size(), type);
        } finally {
            for (int i = 0; i < parts.size(); i++) {
                api.release(Release.VALUE, values.getAtIndex(ADDRESS, i));
            }
        }
    }

    private static Tensor keys(MapDatum map) {
        Object[] keys = map.entries().keySet().toArray();
        if (map.keyType() == ElementType.STRING) {
            String[] texts = new String[keys.length];
            for (int i = 0; i < keys.length; i++) {
                texts[i] = (String) keys[i];
            }
            return Tensor.ofStrings(Shape.of(keys.length), texts);
        }
        Tensor numbers = Tensor.allocate(map.keyType(), Shape.of(keys.length));
        for (int i = 0; i < keys.length; i++) {
            Elements.setLong(map.keyType(), numbers.segment(), i, (Long) keys[i]);
        }
        return numbers;
    }

    /** Returns the values of a map concatenated; they are scalars if ONNX Runtime knows the type of the map. */
    private static Tensor values(MapDatum map) throws OrtException {
        var parts = new ArrayList<Tensor>();
        for (Datum value : map.entries().values()) {
            if (!(value instanceof Tensor tensor) || tensor.elements() != 1) {
                throw new OrtException("a map whose values are no scalars cannot be given");
            }
            parts.add(tensor);
        }
        if (parts.isEmpty()) {
            throw new OrtException("a map that is empty cannot be given");
        }
        ElementType type = parts.getFirst().type();
        if (type == ElementType.STRING) {
            return Tensor.ofStrings(
                    Shape.of(parts.size()),
                    parts.stream().map(part -> part.strings()[0]).toArray(String[]::new));
        }
        Tensor all = Tensor.allocate(type, Shape.of(parts.size()));
        long size = type.bytes(1);
        for (int i = 0; i < parts.size(); i++) {
            MemorySegment.copy(parts.get(i).segment(), 0, all.segment(), i * size, size);
        }
        return all;
    }

    private static int number(ElementType type) {
        return OWN_NUMBERS.getOrDefault(type, type.code());
    }

    private static ElementType type(int number) throws OrtException {
        for (ElementType type : ElementType.values()) {
            if (number(type) == number) {
                return type;
            }
        }
        throw new OrtException("elements of type " + number + " are not known");
    }

    /** Returns a copy of {@code value}, which stays its owner's. */
    Datum take(MemorySegment value) throws OrtException {
        if (value.address() == 0 || api.getInt(Call.HAS_VALUE, value) == 0) {
            return OptionalDatum.EMPTY;
        }
        return switch (api.getInt(Call.VALUE_TYPE, value)) {
            case TENSOR -> tensor(value);
            case SEQUENCE -> new TensorSequence(parts(value));
            case MAP -> map(parts(value));
            default -> throw new OrtException("an output is neither a tensor nor a sequence nor a map");
        };
    }

    private Tensor tensor(MemorySegment value) throws OrtException {
        MemorySegment info = api.get(Call.TENSOR_TYPE, value);
        try (Arena arena = Arena.ofConfined()) {
            ElementType type = type(api.getInt(Call.ELEMENT_TYPE, info));
            long rank = api.getLong(Call.RANK, info);
            MemorySegment dims = arena.allocate(JAVA_LONG, Math.max(1, rank));
            api.call(Call.DIMENSIONS, info, dims, rank);
            Shape shape = Shape.of(dims.asSlice(0, rank * Long.BYTES).toArray(JAVA_LONG));
            if (type == ElementType.STRING) {
                return strings(value, shape);
            }
            if (shape.elements() == 0) {
                return Tensor.allocate(type, shape);
            }
            MemorySegment data = api.get(Call.TENSOR_DATA, value).reinterpret(type.bytes(shape.elements()));
            return Tensor.copyOf(Tensor.wrap(type, shape, data));
        } finally {
            api.release(Release.TENSOR_TYPE, info);
        }
    }

    private Tensor strings(MemorySegment value, Shape shape) throws OrtException {
        String[] strings = new String[Math.toIntExact(shape.elements())];
        for (int i = 0; i < strings.length; i++) {
            long length = api.getLong(Call.STRING_LENGTH, value, (long) i);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment text = arena.allocate(Math.max(1, length));
                api.call(Call.STRING, value, length, (long) i, text);
                strings[i] = new String(text.asSlice(0, length).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
            }
        }
        return Tensor.ofStrings(shape, strings);
    }

    private List<Datum> parts(MemorySegment value) throws OrtException {
        long count = api.getLong(Call.VALUE_COUNT, value);
        var parts = new ArrayList<Datum>();
        for (int i = 0; i < count; i++) {
            MemorySegment part = api.get(Call.GET_VALUE, value, i, allocator);
            try {
                parts.add(take(part));
            } finally {
                api.release(Release.VALUE, part);
            }
        }
        return parts;
    }

    private static MapDatum map(List<Datum> parts) {
        Tensor keys = (Tensor) parts.get(0);
        Tensor values = (Tensor) parts.get(1);
        boolean texts = keys.type() == ElementType.STRING;
        var entries = new LinkedHashMap<Object, Datum>();
        for (int i = 0; i < keys.elements(); i++) {
            Object key = texts ? keys.strings()[i] : (Object) Elements.getLong(keys.type(), keys.segment(), i);
            entries.put(key, element(values, i));
        }
        return new MapDatum(keys.type(), entries);
    }

    private static Tensor element(Tensor values, int index) {
        if (values.type() == ElementType.STRING) {
            return Tensor.ofStrings(Shape.SCALAR, values.strings()[index]);
        }
        long size = values.type().bytes(1);
        return Tensor.copyOf(
                Tensor.wrap(values.type(), Shape.SCALAR, values.segment().asSlice(index * size, size)));
    }
}
