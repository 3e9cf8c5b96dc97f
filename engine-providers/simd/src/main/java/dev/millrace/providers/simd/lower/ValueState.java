package dev.millrace.providers.simd.lower;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.program.View;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of a value while a partition is bound: its type, its shape, and its place in memory or how it will be
 * computed.
 */
public final class ValueState {
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
    DeferredValue pending;

    /** Creates the cell of an intermediate value within a node, which only a run computes. */
    ValueState(long order, ElementType type, Shape shape) {
        this(null, order, type, shape, (Supplier<Tensor>) null);
    }

    ValueState(@Nullable Value value, long order, ElementType type, Shape shape, @Nullable Tensor known) {
        this(value, order, type, shape, known == null ? null : () -> known);
        content = known;
    }

    /** @param known computes its content when that is first asked for; null where only a run knows it */
    ValueState(@Nullable Value value, long order, ElementType type, Shape shape, @Nullable Supplier<Tensor> known) {
        this.value = value;
        this.order = order;
        this.type = type;
        this.shape = shape;
        this.known = known;
    }

    public String name() {
        return value == null ? "a part of a node" : value.name();
    }

    /** The value of the graph, or null for an intermediate value within a node. */
    @Nullable
    Value value() {
        return value;
    }

    /** The node that produces the value, or null where none does. */
    @Nullable
    Node producer() {
        return value == null ? null : value.producer();
    }

    /** The order number of the value, higher than those of the values that it is computed from. */
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

    /** The content, where it is the same in every run of the binding; else null. */
    public @Nullable Tensor known() {
        if (content == null && known != null) {
            content = known.get();
        }
        return content;
    }

    /** Whether the content is the same in every run of the binding. Does not compute it. */
    public boolean isKnown() {
        return known != null;
    }

    /**
     * Whether the content is known and its elements can be read: those of a constant that was kept only packed cannot.
     */
    public boolean isReadable() {
        return isKnown() && (content == null || !content.isClosed());
    }

    public boolean isFloat() {
        return type == ElementType.FLOAT;
    }

    /** The number of its readers, the outputs of the partition included. */
    public int readers() {
        return readers;
    }

    /**
     * The fusion root that will compute the value once its consumers are known; null where it is in memory, or an
     * expression.
     */
    public @Nullable FusionRoot root() {
        return isInMemory() || !(pending instanceof FusionRoot root) ? null : root;
    }

    /**
     * Whether it lies only in blocks of channels (NCHWc), or consists of channels that do, and not in the order of its
     * indices.
     */
    public boolean isBlockedOnly() {
        return plain == null && (blocked != null || channels != null && !channels.isSplit(shape));
    }

    /** The order number of an intermediate value that is computed before this one. */
    long orderOfPart() {
        return order - ++parts;
    }

    public boolean isInMemory() {
        return plain != null || blocked != null || channels != null || isKnown();
    }
}
