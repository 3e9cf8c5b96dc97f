package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.quantise.QuantisedType;
import dev.millrace.kernels.quantise.Scales;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.UnfusedRoot;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Tables;
import dev.millrace.providers.simd.weights.Layout;
import dev.millrace.providers.simd.weights.Weights;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Quantised constants that are wanted as floats after all: they are made once, not in each run. */
final class WideningRoot implements UnfusedRoot {
    private final LoweringContext op;
    private final Granularity granularity;
    private final QuantisedType type;
    private final Tensor elements;
    private final Tensor scales;

    private WideningRoot(
            LoweringContext op, Granularity granularity, QuantisedType type, Tensor elements, Tensor scales) {
        this.op = op;
        this.granularity = granularity;
        this.type = type;
        this.elements = elements;
        this.scales = scales;
    }

    /** Lets the result of a DequantizeLinear of constants wait; false where not all it reads is constant. */
    static boolean defer(LoweringContext op, Granularity granularity) {
        Tensor elements = op.in(0).known();
        Tensor scales = op.in(1).known();
        QuantisedType type = Granularity.typeOf(op.in(0).type());
        if (elements == null
                || scales == null
                || type == null
                || op.has(2) && op.in(2).known() == null) {
            return false;
        }
        op.lowering().defer(op.out(), new WideningRoot(op, granularity, type, elements, scales));
        return true;
    }

    @Override
    public void emit(ValueState result) {
        Weights weights = op.environment().weights();
        Tensor zero = op.has(2) ? op.in(2).known() : null;
        List<Tensor> sources = zero == null ? List.of(elements, scales) : List.of(elements, scales, zero);
        String name = "floats, " + granularity.outer() + "x" + granularity.axis() + "x" + granularity.inner();
        Layout layout = Layout.forAllShapes(name, Float.BYTES * result.elements());
        MemorySegment floats = weights.packed(sources, layout, target -> {
            MemorySegment points = Tables.memory(granularity.zeros(op.environment(), zero));
            var all = new Scales(
                    granularity.outer(), granularity.axis(), granularity.inner(), weights.plain(scales), points);
            QuantiseRules.quantisation(op.environment())
                    .dequantise(weights.plain(elements), type, all, target, Parallel.NONE);
        });
        op.lowering().provide(result, View.dense(Storage.constant(floats), ElementType.FLOAT, result.shape()));
    }
}
