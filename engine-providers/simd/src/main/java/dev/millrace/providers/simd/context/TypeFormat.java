package dev.millrace.providers.simd.context;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** Types of values as bytes. */
final class TypeFormat {
    private TypeFormat() {}

    static void write(@Nullable ValueType type, ByteWriter to, TextTable texts) {
        switch (type) {
            case null -> to.number(PlanFormat.NO_TYPE);
            case ValueType.TensorType(ElementType element, SymbolicShape shape) -> {
                to.number(PlanFormat.TENSOR_TYPE);
                write(element, shape, to, texts);
            }
            case ValueType.SparseType(ElementType element, SymbolicShape shape) -> {
                to.number(PlanFormat.SPARSE_TYPE);
                write(element, shape, to, texts);
            }
            case ValueType.SequenceType(ValueType element) -> {
                to.number(PlanFormat.SEQUENCE_TYPE);
                write(element, to, texts);
            }
            case ValueType.OptionalType(ValueType element) -> {
                to.number(PlanFormat.OPTIONAL_TYPE);
                write(element, to, texts);
            }
            case ValueType.MapType(ElementType key, ValueType value) -> {
                to.number(PlanFormat.MAP_TYPE);
                to.number(key.code());
                write(value, to, texts);
            }
        }
    }

    private static void write(
            @Nullable ElementType element, @Nullable SymbolicShape shape, ByteWriter to, TextTable texts) {
        to.number(element == null ? 0 : element.code());
        to.number(shape == null ? 0 : shape.rank() + 1L);
        if (shape == null) {
            return;
        }
        for (Dim dim : shape.dims()) {
            switch (dim) {
                case Dim.Unknown _ -> to.number(PlanFormat.UNKNOWN_DIM);
                case Dim.Known(long extent) -> {
                    to.number(PlanFormat.KNOWN_DIM);
                    to.signed(extent);
                }
                case Dim.Symbol(String name) -> {
                    to.number(PlanFormat.SYMBOL_DIM);
                    to.number(texts.number(name));
                }
            }
        }
    }

    static @Nullable ValueType read(PlanSource from) {
        return read(from, 0);
    }

    private static @Nullable ValueType read(PlanSource from, int depth) {
        if (depth > PlanFormat.DEEPEST) {
            throw ByteReader.damaged("types are nested deeper than " + PlanFormat.DEEPEST + " levels");
        }
        int kind = from.bytes().below(PlanFormat.MAP_TYPE + 1, "kind of type");
        return switch (kind) {
            case PlanFormat.TENSOR_TYPE -> ValueType.tensor(element(from), shape(from));
            case PlanFormat.SPARSE_TYPE -> new ValueType.SparseType(element(from), shape(from));
            case PlanFormat.SEQUENCE_TYPE -> new ValueType.SequenceType(inner(from, depth));
            case PlanFormat.OPTIONAL_TYPE -> new ValueType.OptionalType(inner(from, depth));
            case PlanFormat.MAP_TYPE -> new ValueType.MapType(from.elementType(), inner(from, depth));
            default -> null;
        };
    }

    private static ValueType inner(PlanSource from, int depth) {
        ValueType type = read(from, depth + 1);
        if (type == null) {
            throw ByteReader.damaged("a type says nothing of its elements");
        }
        return type;
    }

    private static @Nullable ElementType element(PlanSource from) {
        long code = from.bytes().number();
        return code == 0 ? null : ElementType.requireCode(code);
    }

    private static @Nullable SymbolicShape shape(PlanSource from) {
        int rank = from.bytes().count("extents") - 1;
        if (rank < 0) {
            return null;
        }
        var dims = new ArrayList<Dim>();
        for (int i = 0; i < rank; i++) {
            int kind = from.bytes().below(PlanFormat.SYMBOL_DIM + 1, "kind of extent");
            dims.add(
                    switch (kind) {
                        case PlanFormat.KNOWN_DIM -> Dim.of(extent(from));
                        case PlanFormat.SYMBOL_DIM -> Dim.symbol(from.text());
                        default -> Dim.UNKNOWN;
                    });
        }
        return new SymbolicShape(dims);
    }

    private static long extent(PlanSource from) {
        long extent = from.bytes().signed();
        if (extent < 0) {
            throw ByteReader.damaged("a type has the extent " + extent);
        }
        return extent;
    }
}
