package dev.millrace.kernels.program;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One step of a program. Steps are values; {@link StepVisitor} tells them apart. */
public sealed interface Step {
    void accept(StepVisitor visitor);

    /** {@code to = op a} */
    record Unary(UnaryOp op, VectorVar to, Value a) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.unary(this);
        }
    }

    /** {@code to = a op b} */
    record Binary(BinaryOp op, VectorVar to, Value a, Value b) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.binary(this);
        }
    }

    /** {@code to = c + a * b}, or {@code c - a * b} when negated; rounded once. */
    record MultiplyAdd(boolean negated, VectorVar to, Value a, Value b, Value c) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.multiplyAdd(this);
        }
    }

    /** {@code to = a op b} */
    record Compare(Comparison op, MaskVar to, Value a, Value b) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.compare(this);
        }
    }

    /** {@code to = mask ? then : otherwise} */
    record Select(VectorVar to, MaskVar mask, Value then, Value otherwise) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.select(this);
        }
    }

    /** Reads consecutive lanes. Lanes outside of the mask become zero, and their memory is not touched. */
    record Load(VectorVar to, Address from, @Nullable MaskVar mask) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.load(this);
        }
    }

    /** Reads 32 bits for all lanes. */
    record Spread(VectorVar to, Address from) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.spread(this);
        }
    }

    /** Writes consecutive lanes. The memory of lanes outside of the mask is not touched. */
    record Store(Address to, VectorVar from, @Nullable MaskVar mask) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.store(this);
        }
    }

    /**
     * Combines all lanes with ADD, MIN or MAX and gives the result to all of them: first each lane with the one half
     * the vector away ({@code lane xor n}), then a quarter, down to its neighbour.
     */
    record Reduce(BinaryOp op, VectorVar to, VectorVar from) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.reduce(this);
        }
    }

    /** The first {@code count} lanes are true. The count is between 0 and the number of lanes. */
    record FirstLanes(MaskVar to, ScalarVar count) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.firstLanes(this);
        }
    }

    /** Says that memory will be read soon. The address need not be one of ours. */
    record Prefetch(Address at) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.prefetch(this);
        }
    }

    /** {@code to = a op b}, where b is a variable or, if that is null, a constant of 32 bits with sign. */
    record Scalar(
            ScalarOp op,
            ScalarVar to,
            ScalarVar a,
            @Nullable ScalarVar b,
            int constant) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.scalar(this);
        }
    }

    /** {@code to = from}, or a constant if that is null. */
    record ScalarCopy(ScalarVar to, @Nullable ScalarVar from, long constant) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.scalarCopy(this);
        }
    }

    /**
     * {@code while (counter >= step) { body; counter -= step; }} with signed comparison. The rest stays in the counter.
     */
    record Loop(ScalarVar counter, int step, List<Step> body) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.loop(this);
        }
    }

    /** {@code if (value != 0) then else otherwise} */
    record If(ScalarVar value, List<Step> then, List<Step> otherwise) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.branch(this);
        }
    }
}
