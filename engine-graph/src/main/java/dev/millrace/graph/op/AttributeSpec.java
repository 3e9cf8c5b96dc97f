package dev.millrace.graph.op;

import dev.millrace.graph.ir.Attribute;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An attribute that an operator has.
 *
 * @param defaultValue what it is where a node leaves it out, or null where that says something of its own
 */
public record AttributeSpec(
        String name, Kind kind, boolean required, @Nullable Attribute defaultValue) {

    /** The kinds of attributes. */
    public enum Kind {
        FLOAT(Attribute.Float.class),
        INT(Attribute.Int.class),
        STRING(Attribute.Bytes.class),
        TENSOR(Attribute.TensorValue.class),
        GRAPH(Attribute.GraphValue.class),
        TYPE(Attribute.TypeValue.class),
        SPARSE(Attribute.Sparse.class),
        FLOATS(Attribute.Floats.class),
        INTS(Attribute.Ints.class),
        STRINGS(Attribute.Strings.class),
        TENSORS(Attribute.Tensors.class),
        GRAPHS(Attribute.Graphs.class),
        TYPES(Attribute.Types.class);

        private final Class<? extends Attribute> holder;

        Kind(Class<? extends Attribute> holder) {
            this.holder = holder;
        }

        /** Whether {@code attribute} is of this kind; a reference to a caller's attribute may be. */
        public boolean accepts(Attribute attribute) {
            return holder.isInstance(attribute) || attribute instanceof Attribute.Reference;
        }

        /** The kind of {@code attribute}, or null for a reference. */
        public static @Nullable Kind of(Attribute attribute) {
            for (Kind kind : values()) {
                if (kind.holder.isInstance(attribute)) {
                    return kind;
                }
            }
            return null;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
