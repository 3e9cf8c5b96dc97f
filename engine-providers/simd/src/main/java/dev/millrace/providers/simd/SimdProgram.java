package dev.millrace.providers.simd;

import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A compiled partition: instructions in order, each with one result. A value without memory: bulk data lies in
 * segments beside it, named by number.
 *
 * @param layout how weights are packed: {@link ProductKernel#layout()} of the kernel that packed them
 * @param inputs how many inputs the partition has
 * @param outputs which instructions' results are the partition's outputs
 */
record SimdProgram(
        String layout, int inputs, List<Constant> constants, List<Instruction> instructions, List<Integer> outputs) {
    SimdProgram {
        constants = List.copyOf(constants);
        instructions = List.copyOf(instructions);
        outputs = List.copyOf(outputs);
    }

    /** A float tensor in a segment, {@code offset} bytes from its start. */
    record Constant(int segment, long offset, Shape shape) {}

    /** What is computed in one go. */
    sealed interface Instruction {
        /** What is computed element by element, or null where nothing is. */
        @Nullable
        Expression expression();

        /** All that it reads, the product's own value aside. */
        default List<Source> sources() {
            Expression expression = expression();
            return expression == null ? List.of() : expression.operands();
        }

        /** The same, reading something else from somewhere. */
        Instruction reading(UnaryOperator<Source> change);
    }

    /**
     * X[..., k] · W[k, n] + bias[n], and an expression of it.
     *
     * @param segment the packed weights
     * @param bias a constant of {@code n} elements
     */
    record Product(
            Source x,
            int segment,
            long k,
            long n,
            @Nullable Source bias,
            @Nullable Expression expression) implements Instruction {
        /** How many registers an expression behind a product may use: the product's own arrays are in use too. */
        static final int MOST_REGISTERS = 4;

        @Override
        public List<Source> sources() {
            var sources = new ArrayList<Source>(Instruction.super.sources());
            sources.add(x);
            if (bias != null) {
                sources.add(bias);
            }
            return sources;
        }

        @Override
        public Product reading(UnaryOperator<Source> change) {
            Expression behind = expression == null ? null : expression.reading(change);
            return new Product(change.apply(x), segment, k, n, bias, behind);
        }
    }

    /** An expression on its own. */
    record Elementwise(Expression expression) implements Instruction {
        @Override
        public Elementwise reading(UnaryOperator<Source> change) {
            return new Elementwise(expression.reading(change));
        }
    }
}
