package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.quantise.Quantisation;
import dev.millrace.kernels.quantise.QuantisedType;
import dev.millrace.kernels.quantise.Scales;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Tables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** To quantised elements and back: expressions where there are such elements, else passes of their own. */
public final class QuantiseRules {
    private QuantiseRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.QUANTIZE_LINEAR -> op -> linear(op, true);
            case OpName.DEQUANTIZE_LINEAR -> op -> linear(op, false);
            case OpName.DYNAMIC_QUANTIZE_LINEAR -> QuantiseRules::dynamic;
            default -> null;
        };
    }

    static Quantisation quantisation(CompileEnvironment environment) {
        return environment.driver(Quantisation.class, () -> new Quantisation(environment.kernels()));
    }

    private static boolean linear(LoweringContext op, boolean forward) {
        ValueState in = op.in(0);
        ValueState floats = forward ? in : op.out();
        ValueState quantised = forward ? op.out() : in;
        Granularity granularity = Granularity.of(op);
        if (!floats.isFloat() || !op.in(1).isFloat() || !forward && mayOverflow(op)) {
            return false;
        }
        boolean isInteger =
                DataTypes.find(quantised.type()) != null && !quantised.type().isFloating();
        if (granularity != null
                && (granularity.shape() == null || !isInteger)
                && pass(op, granularity, quantised.type(), forward)) {
            return true;
        }
        if (!isInteger || forward && Granularity.typeOf(quantised.type()) == null) {
            return false;
        }
        if (granularity == null || granularity.shape() == null) {
            return blocks(op, forward);
        }
        PartitionCompiler lowering = op.lowering();
        if (!forward && in.isKnown() && in.elements() > 1 && WideningRoot.defer(op, granularity)) {
            return true;
        }
        ValueState zero = op.find(2);
        defer(
                op,
                forward,
                in,
                granularity.broadcast(lowering, op.in(1), op.out()),
                zero == null || isSingle(zero) ? zero : granularity.broadcast(lowering, zero, op.out()),
                op.out());
        if (forward) {
            // what follows reads few bits, rather than computing them again
            lowering.materialise(op.out());
        }
        return true;
    }

    /** Whether elements less their zero point may be no int any more. */
    private static boolean mayOverflow(LoweringContext op) {
        if (op.in(0).type() != ElementType.INT32 || !op.has(2)) {
            return false;
        }
        Tensor zeros = op.in(2).known();
        return zeros == null
                || !Arrays.stream(Tables.intsOf(op.environment(), zeros)).allMatch(zero -> zero == 0);
    }

    private static boolean blocks(LoweringContext op, boolean forward) {
        ScaleBlocks blocks = ScaleBlocks.of(op);
        if (blocks == null || op.has(2) && !op.in(2).shape().equals(op.in(1).shape())) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        ValueState result = lowering.part(op.out(), op.out().type(), blocks.split());
        defer(
                op,
                forward,
                ScaleBlocks.reshaped(op, op.in(0), blocks.split()),
                ScaleBlocks.reshaped(op, op.in(1), blocks.scales()),
                op.has(2) ? ScaleBlocks.reshaped(op, op.in(2), blocks.scales()) : null,
                result);
        lowering.provide(
                op.out(),
                Objects.requireNonNull(lowering.dense(result).reshaped(op.out().shape())));
        return true;
    }

    private static boolean isSingle(ValueState cell) {
        return cell.isKnown() && cell.elements() == 1;
    }

    /** @param zero of a shape that goes with the elements, or a single one that is known */
    private static void defer(
            LoweringContext op,
            boolean forward,
            ValueState in,
            ValueState scale,
            @Nullable ValueState zero,
            ValueState out) {
        Tensor known = zero == null ? null : zero.known();
        boolean varies = zero != null && !isSingle(zero);
        int point = known == null || varies ? 0 : Tables.intsOf(op.environment(), known)[0];
        var operands = new ArrayList<>(List.of(in, scale));
        if (zero != null && varies) {
            operands.add(zero);
        }
        QuantisedType type = Granularity.typeOf(out.type());
        if (forward && type != null) {
            op.lowering()
                    .defer(
                            out,
                            operands,
                            v -> quantised(
                                    v.get(0).over(v.get(1)),
                                    varies ? v.get(2).to(Kind.FLOAT) : Expr.number(point),
                                    type));
        } else {
            op.lowering()
                    .defer(
                            out,
                            operands,
                            v -> v.get(0)
                                    .minus(varies ? v.get(2) : Expr.integer(point))
                                    .to(Kind.FLOAT)
                                    .times(v.get(1)));
        }
    }

    /** The element for a number of scales; for NaN the least one, since as an int it is the least of those. */
    static Expr quantised(Expr steps, Expr zero, QuantisedType type) {
        Expr shifted = steps.apply(FloatFunction.ROUND).plus(zero);
        return shifted.min(Expr.number(type.most())).to(Kind.INT).max(Expr.integer(type.least()));
    }

    /** Elements of 4 bits, and those that share scales in blocks. */
    private static boolean pass(LoweringContext op, Granularity granularity, ElementType elements, boolean forward) {
        QuantisedType type = Granularity.typeOf(elements);
        Tensor zero = op.has(2) ? op.in(2).known() : null;
        boolean rowsAreEven =
                type == null || type.bits() > 4 || granularity.axis() == 1 || granularity.inner() % 2 == 0;
        if (type == null || op.has(2) && zero == null || !rowsAreEven) {
            return false;
        }
        Quantisation quantisation = quantisation(op.environment());
        View zeros = Tables.ints(granularity.zeros(op.environment(), zero));
        View scales = op.lowering().dense(op.in(1));
        View from = op.lowering().dense(op.in(0));
        View to = op.lowering().allocate(op.out());
        op.lowering()
                .add(ProgramStep.of(
                                forward ? "quantise" : "dequantise", op.node().name())
                        .reading(from, scales, zeros)
                        .writing(to)
                        .calling(memory -> {
                            var by = new Scales(
                                    granularity.outer(),
                                    granularity.axis(),
                                    granularity.inner(),
                                    memory.segment(scales),
                                    memory.segment(zeros));
                            var x = memory.segment(from);
                            var y = memory.segment(to);
                            return forward
                                    ? crew -> quantisation.quantise(x, by, type, y, crew)
                                    : crew -> quantisation.dequantise(x, type, by, y, crew);
                        }));
        return true;
    }

    private static boolean dynamic(LoweringContext op) {
        if (!op.in(0).isFloat() || op.in(0).elements() == 0) {
            return false;
        }
        Quantisation quantisation = quantisation(op.environment());
        View from = op.lowering().dense(op.in(0));
        View bytes = op.lowering().allocate(op.out(0));
        View scale = op.lowering().allocate(ElementType.FLOAT, Shape.SCALAR);
        View zero = op.lowering().allocate(ElementType.INT32, Shape.SCALAR);
        if (op.outputs() > 1 && op.node().output(1) != null) {
            op.lowering().provide(op.out(1), scale);
        }
        if (op.outputs() > 2 && op.node().output(2) != null) {
            // the lowest byte of the int comes first
            op.lowering().provide(op.out(2), View.dense(zero.storage(), ElementType.UINT8, Shape.SCALAR));
        }
        op.lowering()
                .add(ProgramStep.of("quantise dynamically", op.node().name())
                        .reading(from)
                        .writing(List.of(bytes, scale, zero))
                        .repeating()
                        .calling(memory -> {
                            var x = memory.segment(from);
                            var y = memory.segment(bytes);
                            var step = memory.segment(scale);
                            var point = memory.segment(zero);
                            return crew -> quantisation.quantiseDynamically(x, from.elements(), y, step, point, crew);
                        }));
        return true;
    }
}
