package dev.millrace.codegen.program;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One step of a program. Steps are values; {@link StepVisitor} tells them apart. */
public sealed interface Step {
    void accept(StepVisitor visitor);

    /** {@code to = op a} */
    record Unary(UnaryOp op, VectorVar to, ProgramValue a) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.unary(this);
        }
    }

    /** {@code to = a op b} */
    record Binary(BinaryOp op, VectorVar to, ProgramValue a, ProgramValue b) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.binary(this);
        }
    }

    /** {@code to = a op b}, of pairs of lanes */
    record Wide(WideOp op, VectorVar to, VectorVar a, VectorVar b) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.wide(this);
        }
    }

    /** {@code to = c + a * b}, or {@code c - a * b} when negated; rounded once. */
    record MultiplyAdd(boolean negated, VectorVar to, ProgramValue a, ProgramValue b, ProgramValue c) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.multiplyAdd(this);
        }
    }

    /** {@code to = a op b} */
    record Compare(Comparison op, MaskVar to, ProgramValue a, ProgramValue b) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.compare(this);
        }
    }

    /** {@code to = mask ? then : otherwise} */
    record Select(VectorVar to, MaskVar mask, ProgramValue then, ProgramValue otherwise) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.select(this);
        }
    }

    /**
     * Reads consecutive elements. Lanes outside of the mask become zero, and their memory is not touched. The mask of
     * elements that are no words is one of {@link FirstLanes}; pairs are read without a mask.
     */
    record Load(
            VectorVar to,
            Element element,
            Address from,
            @Nullable MaskVar mask) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.load(this);
        }
    }

    /** Reads an element for all lanes; no pair. */
    record Spread(VectorVar to, Element element, Address from) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.spread(this);
        }
    }

    /**
     * Writes consecutive elements. The memory of lanes outside of the mask is not touched. The mask of elements that
     * are no words is one of {@link FirstLanes}.
     *
     * @param streamed whether they should not stay in the caches, if the machine can leave them out; then they are
     *     words or doubles without a mask, and their address is a multiple of the bytes of a vector
     */
    record Store(
            Address to,
            Element element,
            VectorVar from,
            @Nullable MaskVar mask,
            boolean streamed) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.store(this);
        }
    }

    /**
     * Writes 1, 2, 4 or 8 lanes of a vector, words, and touches nothing behind them.
     *
     * @param first a multiple of how many there are
     */
    record StorePart(Address to, VectorVar from, int first, int lanes) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.storePart(this);
        }
    }

    /**
     * Combines all lanes with ADD, MIN, MAX or INT_ADD and gives the result to all of them: first each lane with the one half
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
            visitor.prefixMask(this);
        }
    }

    /** A number whose bit i is lane i of a mask. */
    record LaneBits(ScalarVar to, MaskVar from) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.movemask(this);
        }
    }

    /** {@code to += a . b} */
    record Dot(DotOp op, VectorVar to, ProgramValue a, ProgramValue b) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.dot(this);
        }
    }

    /**
     * Lane i gets lane {@code lanes[i]} of a vector, or zero for {@value #ZERO_LANE}.
     *
     * @param lanes one number for each lane of the target
     */
    record Permute(VectorVar to, VectorVar from, List<Integer> lanes) implements Step {
        public static final int ZERO_LANE = -1;

        @Override
        public void accept(StepVisitor visitor) {
            visitor.permute(this);
        }
    }

    /**
     * Reads 32 bits for each lane from {@code base + 4 * index}, the index having a sign. Lanes outside of the mask
     * become zero, and their memory is not touched.
     */
    record Gather(
            VectorVar to,
            ScalarVar base,
            VectorVar indices,
            @Nullable MaskVar mask) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.gather(this);
        }
    }

    /** Gives the lower 32 bits of a scalar to all lanes. */
    record SpreadScalar(VectorVar to, ScalarVar from) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.spreadScalar(this);
        }
    }

    /** Reads a scalar of 64 bits, or of 32 bits with sign. */
    record ScalarLoad(ScalarVar to, boolean wide, Address from) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.scalarLoad(this);
        }
    }

    /** Moves 1, 2, 4 or 8 bytes from memory to memory, whatever they mean. */
    record Move(Address to, Address from, int bytes) implements Step {
        @Override
        public void accept(StepVisitor visitor) {
            visitor.move(this);
        }
    }

    /**
     * Says that memory will be read. The address need not be one of ours.
     *
     * @param later whether other memory is read over and over before, which would push it out of the first cache
     */
    record Prefetch(Address at, boolean later) implements Step {
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
