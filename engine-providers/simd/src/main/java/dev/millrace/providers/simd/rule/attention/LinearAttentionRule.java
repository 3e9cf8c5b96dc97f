package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.attention.LinearAttention;
import dev.millrace.kernels.attention.LinearAttention.Decay;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rule of LinearAttention, whose state is updated in the memory of the present. */
public final class LinearAttentionRule {
    private static final int KEYS = 1;
    private static final int VALUES = 2;
    private static final int PAST = 3;
    private static final int DECAY = 4;
    private static final int RATE = 5;

    private LinearAttentionRule() {}

    public static @Nullable Rule named(String name) {
        return name.equals(OpName.LINEAR_ATTENTION) ? LinearAttentionRule::lower : null;
    }

    /** The operands as rows of 32-bit floats, and the memory of the results. */
    private record Operands(
            View queries,
            View keys,
            View values,
            @Nullable View decays,
            @Nullable View rates,
            @Nullable View past,
            View present,
            View out) {
        List<View> reads() {
            var reads = new ArrayList<>(List.of(queries, keys, values));
            for (View view : new View[] {decays, rates, past}) {
                if (view != null) {
                    reads.add(view);
                }
            }
            return reads;
        }
    }

    private static boolean lower(LoweringContext op) {
        String name = op.attributes().text("update_rule", "gated_delta");
        boolean fades = name.startsWith("gated");
        boolean corrects = name.endsWith("delta");
        boolean known = fades || corrects || name.equals("linear");
        LinearAttention.Shape shape = known && areFloats(op, fades, corrects) ? shape(op) : null;
        if (shape == null || fades && !op.has(DECAY) || corrects && !op.has(RATE)) {
            return false;
        }
        long decays = fades ? op.in(DECAY).shape().dim(2) : 0;
        long rates = corrects ? op.in(RATE).shape().dim(2) : 1;
        boolean ofHead = decays == shape.keyHeads();
        boolean fits = (!fades || ofHead || decays == (long) shape.keyHeads() * shape.depth())
                && (rates == 1 || rates == shape.keyHeads())
                && (!op.has(PAST) || op.in(PAST).shape().equals(stateShape(shape)));
        if (!fits) {
            return false;
        }
        var rule = new LinearAttention.Rule(!fades ? Decay.NONE : ofHead ? Decay.OF_HEAD : Decay.OF_ROW, corrects);
        float scale = op.attributes().real("scale", 0);
        add(op, rule, shape, (int) rates, scale == 0 ? (float) (1 / Math.sqrt(shape.depth())) : scale);
        return true;
    }

    private static boolean areFloats(LoweringContext op, boolean fades, boolean corrects) {
        for (int input = 0; input <= RATE; input++) {
            boolean read = input < DECAY || (input == DECAY ? fades : corrects);
            if (read
                    && op.has(input)
                    && !Float16Conversion.areFloats(op.in(input).type())) {
                return false;
            }
        }
        return op.in(0).shape().rank() == 3;
    }

    /** Returns the sizes; null where operands do not go together, which the fallback reports. */
    private static LinearAttention.@Nullable Shape shape(LoweringContext op) {
        long heads = op.attributes().integer("q_num_heads", 0);
        long keyHeads = op.attributes().integer("kv_num_heads", 0);
        Shape queries = op.in(0).shape();
        Shape keys = op.in(KEYS).shape();
        Shape values = op.in(VALUES).shape();
        boolean fits = heads > 0
                && keyHeads > 0
                && heads % keyHeads == 0
                && keys.dim(2) % keyHeads == 0
                && values.dim(2) % keyHeads == 0
                && values.dim(2) > 0
                && queries.dim(2) == keys.dim(2) / keyHeads * heads
                && keys.equals(queries.with(2, keys.dim(2)))
                && values.equals(queries.with(2, values.dim(2)))
                && queries.elements() > 0;
        return fits
                ? new LinearAttention.Shape(
                        Math.toIntExact(queries.dim(0)),
                        Math.toIntExact(queries.dim(1)),
                        Math.toIntExact(heads),
                        Math.toIntExact(keyHeads),
                        Math.toIntExact(keys.dim(2) / keyHeads),
                        Math.toIntExact(values.dim(2) / keyHeads))
                : null;
    }

    private static Shape stateShape(LinearAttention.Shape shape) {
        return Shape.of(shape.batch(), shape.keyHeads(), shape.depth(), shape.valueDepth());
    }

    private static View floats(LoweringContext op, int input) {
        return op.lowering().dense(Float16Conversion.widened(op, op.in(input)));
    }

    /** Returns the factors by which states fade, whose logarithms are the input. */
    private static View factors(LoweringContext op) {
        ValueState logarithms = op.in(DECAY);
        ValueState factors = op.lowering().part(op.out(), ElementType.FLOAT, logarithms.shape());
        op.lowering()
                .defer(factors, List.of(logarithms), values -> values.getFirst().apply(FloatFunction.EXP));
        return op.lowering().dense(factors);
    }

    private static void add(
            LoweringContext op, LinearAttention.Rule rule, LinearAttention.Shape shape, int rateHeads, float scale) {
        PartitionCompiler lowering = op.lowering();
        ValueState out = Float16Conversion.wide(op, op.out());
        View past = op.has(PAST) ? floats(op, PAST) : null;
        ValueState present = op.wants(1) ? Float16Conversion.wide(op, op.out(1)) : null;
        var operands = new Operands(
                floats(op, 0),
                floats(op, KEYS),
                floats(op, VALUES),
                rule.decay() == Decay.NONE ? null : factors(op),
                rule.corrects() ? floats(op, RATE) : null,
                past,
                present == null ? lowering.allocate(ElementType.FLOAT, stateShape(shape)) : lowering.allocate(present),
                lowering.allocate(out));
        LinearAttention attention = op.environment()
                .driver(
                        List.of(LinearAttention.class, rule),
                        () -> new LinearAttention(op.environment().kernels(), rule));
        long state = operands.present().shape().elements();
        lowering.add(ProgramStep.of(() -> "linear attention " + rule, op.node().name())
                .reading(operands.reads())
                .writing(operands.out(), operands.present())
                .work(state * shape.steps() * (2L + shape.heads() / shape.keyHeads()))
                .scratch(LinearAttention.scratchBytes(lowering.width()))
                .calling(memory -> {
                    LinearAttention.Operands bound = bound(operands, memory, rateHeads, scale);
                    MemorySegment before = operands.past() == null ? null : memory.segment(operands.past());
                    MemorySegment scratch = memory.scratch();
                    return crew -> {
                        begin(before, bound.state());
                        attention.run(shape, bound, scratch, crew);
                    };
                }));
        if (past != null) {
            lowering.mayReuse(operands.present(), past);
        }
        Float16Conversion.finish(op, op.out(), out);
        if (present != null) {
            Float16Conversion.finish(op, op.out(1), present);
        }
    }

    /** Writes the past where the present is computed, or zeros, unless both are one memory. */
    private static void begin(@Nullable MemorySegment past, MemorySegment state) {
        if (past == null) {
            state.fill((byte) 0);
        } else if (past.address() != state.address()) {
            state.copyFrom(past);
        }
    }

    private static LinearAttention.Operands bound(Operands operands, RunMemory memory, int rateHeads, float scale) {
        return new LinearAttention.Operands(
                memory.segment(operands.queries()),
                memory.segment(operands.keys()),
                memory.segment(operands.values()),
                memory.segment(operands.present()),
                memory.segment(operands.out()),
                operands.decays() == null ? null : memory.segment(operands.decays()),
                operands.rates() == null ? null : memory.segment(operands.rates()),
                rateHeads,
                scale);
    }
}
