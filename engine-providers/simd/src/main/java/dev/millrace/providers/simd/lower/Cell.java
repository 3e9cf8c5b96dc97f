package dev.millrace.providers.simd.lower;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.program.View;
import org.jspecify.annotations.Nullable;

/** What is known of a value while a partition is bound: its type, its shape, and where it lies or how it comes about. */
public final class Cell {
    private final @Nullable Value value;
    private final long order;
    private final ElementType type;
    private final Shape shape;
    private final @Nullable Tensor known;
    private int parts;
    int readers;

    @Nullable
    View plain;

    @Nullable
    View blocked;

    @Nullable
    Pending pending;

    Cell(@Nullable Value value, long order, ElementType type, Shape shape, @Nullable Tensor known) {
        this.value = value;
        this.order = order;
        this.type = type;
        this.shape = shape;
        this.known = known;
    }

    public String name() {
        return value == null ? "a part of a node" : value.name();
    }

    /** The value of the graph, or null where it is something within a node. */
    @Nullable
    Value value() {
        return value;
    }

    /** Later values have higher numbers than those that they are made of. */
    long order() {
        return order;
    }

    public ElementType type() {
        return type;
    }

    public Shape shape() {
        return shape;
    }

    public long elements() {
        return shape.elements();
    }

    /** Its content, where that is the same in every run of the binding. */
    public @Nullable Tensor known() {
        return known;
    }

    public boolean isFloat() {
        return type == ElementType.FLOAT;
    }

    /** How often it is read, the outputs of the partition included. */
    public int readers() {
        return readers;
    }

    /** What will compute it, where that waits for what follows; null where it is in memory, or an expression. */
    public @Nullable Anchor anchor() {
        return isInMemory() || !(pending instanceof Anchor anchor) ? null : anchor;
    }

    /** Whether it lies in blocks of channels, and not in the order of its indices. */
    public boolean isBlockedOnly() {
        return blocked != null && plain == null;
    }

    /** The order of something that is computed on the way to this value. */
    long orderOfPart() {
        return order - ++parts;
    }

    public boolean isInMemory() {
        return plain != null || blocked != null || known != null;
    }
}
