package dev.millrace.graph.op;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.ValueType;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An operator that a provider adds, in a domain of its own. Models of the whole engine may use it: their nodes are checked
 * against the schema, and the types of their outputs are inferred.
 *
 * @param types infers the types of outputs
 */
public record CustomOperator(OperatorSchema schema, Types types) {
    /** Domains whose operators the engine defines. */
    private static final Set<String> TAKEN =
            Set.of(OpId.ONNX, OpId.ONNX_ML, OpId.ONNX_PREVIEW, OpId.ONNX_TRAINING, OpId.MICROSOFT, OpId.MILLRACE);

    /** An inference of the types of a node's outputs. */
    @FunctionalInterface
    public interface Types {
        /**
         * Returns the types of the outputs in their order; null for a type that is not known. It throws where the operator
         * refuses these inputs.
         *
         * @param inputs the types of the inputs in their order, each null where it is omitted or not known
         */
        List<@Nullable ValueType> outputs(Node node, List<@Nullable ValueType> inputs);
    }

    public CustomOperator {
        if (!isAllowed(schema.op().domain())) {
            throw new IllegalArgumentException(
                    schema.op() + " is in a domain whose operators the engine defines; use a domain of your own");
        }
    }

    /** Whether a provider may define operators of a domain, because the engine defines none there. */
    public static boolean isAllowed(String domain) {
        return !TAKEN.contains(domain);
    }

    /**
     * Reads an operator from its schema in text form. The first line has the name and the version of the domain in which
     * this form of the operator appeared. A line of inputs begins with {@code <}, one of outputs with {@code >}, one of
     * attributes with {@code @}; a line {@code T = float double} says what a type variable may be.
     *
     * <pre>{@code
     * Shift 1
     * < X:T by?:T
     * > Y:T
     * @ axis:int=0 mode:string!
     * T = float double
     * }</pre>
     *
     * A question mark is for an optional value, a star for a variadic one, an exclamation mark for a required attribute.
     */
    public static CustomOperator parse(String domain, String text, Types types) {
        return new CustomOperator(SchemaFile.single(domain, text), types);
    }
}
