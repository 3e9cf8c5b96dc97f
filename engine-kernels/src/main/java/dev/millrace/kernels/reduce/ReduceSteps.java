package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.cast.LaneNumbers;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.reduce.ReduceOp.Before;
import dev.millrace.kernels.reduce.ReduceOp.Combine;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The writer of the operations that all kernels of reductions share. */
final class ReduceSteps {
    private static final int MAGNITUDE = 0x7fffffff;
    private static final Before[] AS_THEY_ARE = {Before.NONE};
    private static final NumberType[] TYPES = {NumberType.F32, NumberType.F16, NumberType.BF16, NumberType.S32};

    /** The parameters that the keys of these kernels share. */
    record Kind(NumberType type, Combine combine, Before before) {
        KernelKey key(String family) {
            return KernelKey.of(family)
                    .with("type", type)
                    .with("combine", combine)
                    .with("before", before);
        }

        static Kind of(KernelKey key) {
            return of(key, TYPES, Before.values());
        }

        /** @param beforeSums the operations on floats that are added up; other numbers have none */
        static Kind of(KernelKey key, NumberType[] types, Before[] beforeSums) {
            NumberType type = key.oneOf("type", types);
            Combine combine = key.oneOf("combine", Combine.values());
            boolean sums = combine == Combine.ADD && type.isFloat();
            return new Kind(type, combine, key.oneOf("before", sums ? beforeSums : AS_THEY_ARE));
        }
    }

    private final ProgramBuilder builder;
    private final Kind kind;

    ReduceSteps(ProgramBuilder builder, Kind kind) {
        this.builder = builder;
        this.kind = kind;
    }

    private Constant identity() {
        boolean ints = !kind.type.isFloat();
        return switch (kind.combine) {
            case ADD -> Constant.ZERO;
            case MUL -> ints ? Constant.ofBits(1) : Constant.of(1);
            case MAX -> ints ? Constant.ofBits(Integer.MIN_VALUE) : Constant.of(Float.NEGATIVE_INFINITY);
            case MIN -> ints ? Constant.ofBits(Integer.MAX_VALUE) : Constant.of(Float.POSITIVE_INFINITY);
        };
    }

    VectorVar start(String name) {
        VectorVar start = builder.vector(name);
        builder.set(start, identity());
        return start;
    }

    /** Loads numbers; those outside of the mask are neutral. */
    VectorVar load(Address from, @Nullable MaskVar mask) {
        VectorVar loaded = LaneNumbers.load(builder, kind.type, from, mask);
        boolean zeros = identity().isZero() && kind.before != Before.EXP;
        return zeros ? loaded : orNeutral(loaded, mask);
    }

    /** Returns numbers that are neutral outside of the mask. */
    VectorVar orNeutral(VectorVar numbers, @Nullable MaskVar mask) {
        ProgramValue neutral = kind.before == Before.EXP ? Constant.of(Float.NEGATIVE_INFINITY) : identity();
        return mask == null ? numbers : builder.select(mask, numbers, neutral);
    }

    /** Combines numbers, on which {@code before} has not been applied yet, with a sum. */
    void accumulate(VectorVar sum, VectorVar numbers, @Nullable VectorVar shift) {
        if (kind.before == Before.SQUARE) {
            builder.accumulate(sum, numbers, numbers);
        } else {
            builder.set(sum, combined(sum, mapped(numbers, shift)));
        }
    }

    VectorVar mapped(VectorVar numbers, @Nullable VectorVar shift) {
        return switch (kind.before) {
            case NONE -> numbers;
            case SQUARE -> builder.mul(numbers, numbers);
            case ABS -> builder.binary(BinaryOp.AND, numbers, Constant.ofBits(MAGNITUDE));
            case EXP -> {
                ProgramValue far = shift == null ? Constant.ZERO : shift;
                yield FloatFunction.EXP.write(builder, builder.sub(numbers, far));
            }
        };
    }

    /**
     * Combines two vectors. The steps for the minimum and maximum of floats pass on a NaN of their second operand only.
     */
    VectorVar combined(VectorVar a, VectorVar b) {
        boolean ints = !kind.type.isFloat();
        return switch (kind.combine) {
            case ADD -> builder.binary(ints ? BinaryOp.INT_ADD : BinaryOp.ADD, a, b);
            case MUL -> builder.binary(ints ? BinaryOp.INT_MUL : BinaryOp.MUL, a, b);
            case MAX -> ints ? builder.binary(BinaryOp.INT_MAX, a, b) : orNaN(BinaryOp.MAX, a, b);
            case MIN -> ints ? builder.binary(BinaryOp.INT_MIN, a, b) : orNaN(BinaryOp.MIN, a, b);
        };
    }

    private VectorVar orNaN(BinaryOp op, VectorVar a, VectorVar b) {
        VectorVar result = builder.binary(op, a, b);
        return builder.select(builder.compare(Comparison.UNORDERED, a, a), a, result);
    }

    /** Returns all vectors combined, in pairs. */
    VectorVar combined(List<VectorVar> vectors) {
        List<VectorVar> left = new ArrayList<>(vectors);
        while (left.size() > 1) {
            List<VectorVar> pairs = new ArrayList<>();
            for (int i = 0; i + 1 < left.size(); i += 2) {
                pairs.add(combined(left.get(i), left.get(i + 1)));
            }
            if (left.size() % 2 == 1) {
                pairs.add(left.getLast());
            }
            left = pairs;
        }
        return left.getFirst();
    }

    /** Returns all lanes combined, in all lanes. */
    VectorVar acrossLanes(VectorVar vector) {
        int lanes = builder.target().lanes();
        VectorVar all = vector;
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            int[] order = new int[lanes];
            for (int i = 0; i < lanes; i++) {
                order[i] = i ^ distance;
            }
            all = combined(all, builder.permute(all, order));
        }
        return builder.unary(UnaryOp.COPY, all);
    }
}
