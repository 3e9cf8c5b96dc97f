package dev.millrace.bench.kernels;

import static java.util.Collections.nCopies;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.recurrent.GruVariant;
import dev.millrace.kernels.recurrent.LstmStep;
import dev.millrace.kernels.recurrent.Recurrent;
import dev.millrace.kernels.recurrent.RecurrentCall;
import dev.millrace.kernels.recurrent.RecurrentSizes;
import dev.millrace.kernels.recurrent.RecurrentSizes.Direction;
import dev.millrace.kernels.recurrent.RnnStep;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Recurrent layers over sequences. */
final class RecurrentCases {
    private static final int OPSET = 21;

    /** A kind of layer, by the name of its operator. */
    private enum Kind {
        LSTM(4),
        GRU(3),
        RNN(1);

        private final int gates;

        Kind(int gates) {
            this.gates = gates;
        }

        Recurrent layer(Kernels kernels, int directions) {
            Expr x = Expr.input(0);
            Expr sigmoid = x.apply(FloatFunction.SIGMOID);
            Expr tanh = x.apply(FloatFunction.TANH);
            return switch (this) {
                case LSTM -> {
                    var variant = new LstmStep.Variant(sigmoid, tanh, tanh, false, false, false);
                    yield Recurrent.lstm(kernels.set(), kernels.gemm(), nCopies(directions, variant), 0);
                }
                case GRU -> {
                    var variant = new GruVariant(sigmoid, tanh, false, true);
                    yield Recurrent.gru(kernels.set(), kernels.gemm(), nCopies(directions, variant), 0);
                }
                case RNN -> {
                    var variant = new RnnStep.Variant(tanh, false);
                    yield Recurrent.rnn(kernels.set(), kernels.gemm(), nCopies(directions, variant), 0);
                }
            };
        }
    }

    private RecurrentCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (Kind kind : Kind.values()) {
            cases.add(layer(kind, new RecurrentSizes(64, 1, 128, 128, Direction.FORWARD)));
            cases.add(layer(kind, new RecurrentSizes(32, 1, 512, 512, Direction.FORWARD)));
            cases.add(layer(kind, new RecurrentSizes(32, 16, 256, 256, Direction.FORWARD)));
            cases.add(layer(kind, new RecurrentSizes(32, 4, 256, 256, Direction.BOTH)));
        }
        return cases;
    }

    private static KernelCase layer(Kind kind, RecurrentSizes shape) {
        int gates = kind.gates;
        String text = shape.steps() + "x" + shape.batch() + "x" + shape.inputs() + "x" + shape.hidden()
                + (shape.direction() == Direction.BOTH ? " both" : "");
        double perStep = 2.0 * gates * shape.hidden() * (shape.inputs() + shape.hidden());
        LayerWork work = LayerWork.flops(perStep * shape.batch() * shape.steps() * shape.directions());
        return KernelCase.of(kind.name().toLowerCase(Locale.ROOT), text, work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            int directions = shape.directions();
            long rows = (long) gates * shape.hidden();
            Tensor x = operands.floats(shape.steps(), shape.batch(), shape.inputs());
            Tensor w = operands.floatsBetween(-0.1f, 0.1f, directions, rows, shape.inputs());
            Tensor r = operands.floatsBetween(-0.1f, 0.1f, directions, rows, shape.hidden());
            Tensor b = operands.floatsBetween(-0.1f, 0.1f, directions, 2 * rows);
            Tensor y = operands.zeros(ElementType.FLOAT, shape.steps(), directions, shape.batch(), shape.hidden());
            Recurrent layer = kind.layer(kernels, directions);
            MemorySegment packed = arena.allocate(layer.packedBytes(shape), 64);
            layer.pack(shape, w.segment(), r.segment(), b.segment(), packed);
            MemorySegment scratch = arena.allocate(layer.scratchBytes(shape), 64);
            RecurrentCall call = RecurrentCall.of(shape, x.segment(), packed, y.segment());
            return Sides.of(() -> layer.run(call, scratch, parallel), y, model -> {
                Value[] given = {
                    model.input("x", x), model.constant("w", w), model.constant("r", r), model.constant("b", b)
                };
                NodeSpec node = NodeSpec.of(OpId.onnx(kind.name()), OPSET, given)
                        .with("hidden_size", Attribute.of((long) shape.hidden()))
                        .with("direction", Attribute.of(directions == 2 ? "bidirectional" : "forward"));
                return model.node(kind == Kind.GRU ? node.with("linear_before_reset", Attribute.of(1L)) : node);
            });
        });
    }
}
