package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.ValueInfo;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** An input of whole numbers, of the type and rank that the model declares. */
final class DecoderInput {
    private static final int ROW_RANK = 2;

    private final String name;
    private final ElementType type;
    private final @Nullable SymbolicShape shape;

    DecoderInput(ValueInfo info) {
        name = info.name();
        ElementType element = info.type() instanceof ValueType.TensorType tensor ? tensor.element() : null;
        if (element == null || !element.isInteger() && !element.isFloating() && element != ElementType.BOOL) {
            throw EngineException.invalidArgument("input '" + info + "' is no tensor of numbers");
        }
        type = element;
        shape = info.type() instanceof ValueType.TensorType tensor ? tensor.shape() : null;
    }

    String name() {
        return name;
    }

    /** The length that the model fixes, or this one. */
    int lengthOr(int length) {
        Dim last = shape == null || shape.rank() == 0 ? Dim.UNKNOWN : shape.dim(shape.rank() - 1);
        return last instanceof Dim.Known known ? Math.toIntExact(Math.max(known.extent(), length)) : length;
    }

    /** A row of a batch of one, or the row alone where the model wants no batch. */
    Tensor row(int length, IntUnaryOperator value) {
        int rank = shape == null ? ROW_RANK : shape.rank();
        if (rank < 1 || rank > ROW_RANK) {
            throw EngineException.notImplemented(
                    "input '" + name + "' of shape " + shape + ", where generation gives one row to a batch");
        }
        double[] values = new double[length];
        for (int i = 0; i < length; i++) {
            values[i] = value.applyAsInt(i);
        }
        return filled(rank == 1 ? Shape.of(length) : Shape.of(1, length), values);
    }

    /** Whether the model wants rows, and leaves their number open. */
    boolean takesBatch() {
        return shape == null || shape.rank() == ROW_RANK && !(shape.dim(0) instanceof Dim.Known);
    }

    /** Rows of a batch. */
    Tensor rows(int count, int length, IntBinaryOperator value) {
        double[] values = new double[count * length];
        for (int i = 0; i < values.length; i++) {
            values[i] = value.applyAsInt(i / length, i % length);
        }
        return filled(Shape.of(count, length), values);
    }

    /** A tensor without elements: extents that the model leaves open, such as the rank of an adapter, are 0. */
    Tensor empty() {
        long[] extents = new long[shape == null ? 1 : shape.rank()];
        for (int i = 0; i < extents.length; i++) {
            extents[i] = shape != null && shape.dim(i) instanceof Dim.Known known ? known.extent() : 0;
        }
        return Tensor.allocate(type, Shape.of(extents));
    }

    /** One number, in a shape of ones. */
    Tensor single(int value) {
        long[] ones = new long[shape == null ? 1 : shape.rank()];
        Arrays.fill(ones, 1);
        return filled(Shape.of(ones), new double[] {value});
    }

    private Tensor filled(Shape extents, double[] values) {
        Tensor tensor = Tensor.allocate(type, extents);
        Elements.write(type, tensor.segment(), 0, values, 0, values.length);
        return tensor;
    }
}
