package dev.millrace.providers.simd.lower;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.program.View;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is known of a value while a partition is bound: its type, its shape, and where it lies or how it comes about. */
public final class Cell {
    private final @Nullable Value value;
    private final long order;
    private final ElementType type;
    private final Shape shape;
    private final @Nullable Supplier<Tensor> known;
    private @Nullable Tensor content;
    private int parts;
    int readers;

    @Nullable
    View plain;

    @Nullable
    View blocked;

    @Nullable
    Channels channels;

    @Nullable
    Pending pending;

    /** A part of a node, which is only there in a run. */
    Cell(long order, ElementType type, Shape shape) {
        this(null, order, type, shape, (Supplier<Tensor>) null);
    }

    Cell(@Nullable Value value, long order, ElementType type, Shape shape, @Nullable Tensor known) {
        this(value, order, type, shape, known == null ? null : () -> known);
        content = known;
    }

    /** @param known makes its content when that is first asked for; null where it is only there in a run */
    Cell(@Nullable Value value, long order, ElementType type, Shape shape, @Nullable Supplier<Tensor> known) {
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

    /** The node that makes the value, or null where none does. */
    @Nullable
    Node producer() {
        return value == null ? null : value.producer();
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
        if (content == null && known != null) {
            content = known.get();
        }
        return content;
    }

    /** Whether its content is the same in every run of the binding. Does not make it. */
    public boolean isKnown() {
        return known != null;
    }

    /** Whether it is known and its elements are there to be read: those of a constant that was kept packed are not. */
    public boolean isReadable() {
        return isKnown() && (content == null || !content.isClosed());
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

    /** Whether it lies in blocks of channels, or is made of channels that do, and not in the order of its indices. */
    public boolean isBlockedOnly() {
        return plain == null && (blocked != null || channels != null && !channels.isSplit(shape));
    }

    /** The order of something that is computed on the way to this value. */
    long orderOfPart() {
        return order - ++parts;
    }

    public boolean isInMemory() {
        return plain != null || blocked != null || channels != null || isKnown();
    }
}
