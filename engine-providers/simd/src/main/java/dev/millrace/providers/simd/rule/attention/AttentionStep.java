package dev.millrace.providers.simd.rule.attention;

import dev.millrace.kernels.attention.Attention;
import dev.millrace.kernels.attention.AttentionCall;
import dev.millrace.kernels.attention.AttentionShape;
import dev.millrace.kernels.attention.FinishRows;
import dev.millrace.kernels.attention.HeadRows;
import dev.millrace.kernels.attention.ScoreRule;
import dev.millrace.kernels.attention.VisibleKeys;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * An attention whose operands are in memory, all of them by batch, head, place and depth.
 *
 * @param past places that keys are ahead of queries
 */
record AttentionStep(
        AttentionShape shape,
        View queries,
        View keys,
        View values,
        View out,
        float scale,
        float cap,
        ScoreRule rule,
        AttentionBias bias,
        boolean causal,
        int past) {
    private static final long MOST_BETWEEN_ROWS = 1 << 24;

    /** Whether the kernels read rows at the strides of a view. */
    static boolean isReadable(View view) {
        for (long stride : view.strides()) {
            if (stride < 0) {
                return false;
            }
        }
        boolean together = view.shape().dim(3) == 1 || view.strides()[3] == 1;
        return together && view.strides()[2] < MOST_BETWEEN_ROWS;
    }

    ProgramStep of(LoweringContext op) {
        Attention attention = op.environment()
                .driver(
                        List.of(Attention.class, rule),
                        () -> new Attention(op.environment().kernels(), rule, FinishRows.Empty.ZEROS));
        int width = op.lowering().width();
        var reads = new ArrayList<>(List.of(queries, keys, values));
        reads.addAll(bias.views());
        long products = (long) shape.batch() * shape.heads() * shape.queries() * shape.keys();
        return ProgramStep.of(
                        () -> "attention " + rule + (causal ? " causal" : ""),
                        op.node().name())
                .reading(reads)
                .writing(out)
                .work(products * (shape.depth() + shape.valueDepth()))
                .scratch(attention.scratchBytes(shape, op.lowering().width()))
                .repeating(bias.lengths() == null)
                .calling(memory -> {
                    AttentionCall call = call(memory);
                    MemorySegment scratch = memory.scratch();
                    View lengths = bias.lengths();
                    if (lengths == null) {
                        return attention.bind(call, scratch, width)::run;
                    }
                    MemorySegment numbers = memory.segment(lengths);
                    return crew -> {
                        var visible = new VisibleKeys(causal, past, bias.read(numbers));
                        attention.run(call.with(visible), scratch, crew);
                    };
                });
    }

    private AttentionCall call(RunMemory memory) {
        return AttentionCall.of(
                        shape,
                        rows(memory, queries),
                        rows(memory, keys),
                        rows(memory, values),
                        rows(memory, out),
                        scale)
                .with(bias.mask(memory))
                .withCap(cap)
                .with(new VisibleKeys(causal, past, null));
    }

    private static HeadRows rows(RunMemory memory, View view) {
        long[] strides = view.strides();
        return new HeadRows(memory.segment(view), strides[0], strides[1], strides[2]);
    }
}
