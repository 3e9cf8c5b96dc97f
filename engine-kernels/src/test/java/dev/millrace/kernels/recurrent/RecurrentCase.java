package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Formulas;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmShape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** LSTM, GRU and simple RNN of any shape, direction and variant. */
public final class RecurrentCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final double TOLERANCE = 2e-5;

    private enum Kind {
        LSTM(4),
        GRU(3),
        RNN(1);

        private final int gates;

        Kind(int gates) {
            this.gates = gates;
        }
    }

    /** An activation in both forms. Those without bounds are flat, so that states do not grow from step to step. */
    private record Activation(Expr expression, DoubleUnaryOperator exact) {
        static Activation any(Random random, FloatFunction usual) {
            Expr x = Expr.input(0);
            Expr quarter = x.times(Expr.number(0.25f));
            return switch (random.nextInt(14)) {
                case 0 -> new Activation(quarter.plus(Expr.number(0.5f)), v -> v / 4 + 0.5);
                case 1 -> new Activation(quarter.apply(FloatFunction.RELU), v -> Math.max(0, v / 4));
                case 2 -> new Activation(Formulas.leakyRelu(quarter, Expr.number(0.5f)), v -> v < 0 ? v / 8 : v / 4);
                case 3 -> new Activation(Formulas.hardSigmoid(x, 0.25f, 0.5f), v -> Math.clamp(v / 4 + 0.5, 0, 1));
                case 4 -> new Activation(Formulas.elu(quarter, 0.5f), v -> v < 0 ? Math.expm1(v / 4) / 2 : v / 4);
                case 5 -> new Activation(Formulas.softsign(x), v -> v / (1 + Math.abs(v)));
                case 6 -> new Activation(Formulas.softplus(quarter), v -> Math.log1p(Math.exp(v / 4)));
                default ->
                    usual == FloatFunction.TANH
                            ? new Activation(x.apply(usual), Math::tanh)
                            : new Activation(x.apply(usual), v -> 1 / (1 + Math.exp(-v)));
            };
        }
    }

    @Override
    public String name() {
        return "recurrent";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int most = small ? 10 : random.nextInt(8) == 0 ? 120 : 40;
        RecurrentSizes.Direction[] directions = RecurrentSizes.Direction.values();
        RecurrentSizes shape = new RecurrentSizes(
                1 + random.nextInt(5),
                1 + random.nextInt(4),
                1 + random.nextInt(most),
                1 + random.nextInt(most),
                directions[random.nextInt(directions.length)]);
        Kind kind = Kind.values()[random.nextInt(3)];
        boolean lstm = kind == Kind.LSTM;
        boolean clipped = random.nextInt(3) == 0;
        boolean option = random.nextBoolean();
        boolean peepholes = lstm && random.nextInt(3) == 0;
        Activation f = Activation.any(random, FloatFunction.SIGMOID);
        Activation g = Activation.any(random, FloatFunction.TANH);
        Activation h = Activation.any(random, FloatFunction.TANH);
        float clip = 0.1f + random.nextFloat();
        Gemm gemm = new Gemm(kernels, GemmShape.of(kernels.target()));
        int count = shape.directions();
        Recurrent layer = switch (kind) {
            case LSTM -> {
                var variant = new LstmStep.Variant(
                        f.expression(), g.expression(), h.expression(), peepholes, clipped, option);
                yield Recurrent.lstm(kernels, gemm, Collections.nCopies(count, variant), clip);
            }
            case GRU -> {
                var variant = new GruVariant(f.expression(), g.expression(), clipped, option);
                yield Recurrent.gru(kernels, gemm, Collections.nCopies(count, variant), clip);
            }
            case RNN -> {
                var variant = new RnnStep.Variant(f.expression(), clipped);
                yield Recurrent.rnn(kernels, gemm, Collections.nCopies(count, variant), clip);
            }
        };
        long rows = (long) count * kind.gates * shape.hidden();
        MemorySegment w = memory.random(rows * shape.inputs(), random);
        MemorySegment r = memory.random(rows * shape.hidden(), random);
        MemorySegment b = random.nextBoolean() ? memory.random(2 * rows, random) : null;
        MemorySegment packed = memory.bytes(layer.packedBytes(shape), 4);
        layer.pack(shape, w, r, b, packed);
        long states = (long) count * shape.batch() * shape.hidden();
        RecurrentCall call = new RecurrentCall(
                shape,
                memory.random((long) shape.steps() * shape.batch() * shape.inputs(), random),
                packed,
                peepholes ? memory.random(3L * count * shape.hidden(), random) : null,
                random.nextBoolean() ? memory.random(states, random) : null,
                lstm && random.nextBoolean() ? memory.random(states, random) : null,
                random.nextBoolean()
                        ? random.ints(shape.batch(), 0, shape.steps() + 1).toArray()
                        : null,
                memory.random(states * shape.steps(), random),
                random.nextBoolean() ? memory.random(states, random) : null,
                lstm && random.nextBoolean() ? memory.random(states, random) : null);
        MemorySegment scratch = memory.bytes(layer.scratchBytes(shape), 4);
        Parallel threads = TestThreads.of(1 + random.nextInt(3));
        Rehearsal.run(kernels, random, () -> layer.run(call, scratch, threads));
        var functions = new RecurrentReference.Functions(
                f.exact(), g.exact(), h.exact(), clipped ? clip : Double.POSITIVE_INFINITY);
        String text = kind + " " + shape
                + (option ? " coupled or reset after" : "")
                + (clipped ? " clipped" : "")
                + (peepholes ? " peepholes" : "");
        for (int direction = 0; direction < count; direction++) {
            for (int entry = 0; entry < shape.batch(); entry++) {
                var reference = new RecurrentReference(call, w, r, b, direction, kind.gates, entry);
                check(call, reference, functions, kind, option, direction, entry, text);
            }
        }
    }

    private static void check(
            RecurrentCall call,
            RecurrentReference reference,
            RecurrentReference.Functions functions,
            Kind kind,
            boolean option,
            int direction,
            int entry,
            String text) {
        RecurrentSizes shape = call.shape();
        for (int i = 0; i < shape.steps(); i++) {
            int step = shape.isReverse(direction) ? shape.steps() - 1 - i : i;
            boolean active = call.isActive(step, entry);
            if (active) {
                switch (kind) {
                    case LSTM -> reference.lstm(functions, option, step, entry);
                    case GRU -> reference.gru(functions, option, step, entry);
                    case RNN -> reference.rnn(functions, step, entry);
                }
            }
            long at = ((long) step * shape.directions() + direction) * shape.batch() + entry;
            double[] expected = active ? reference.state : new double[shape.hidden()];
            compare(call.y(), at, expected, text + ": step " + step);
        }
        long at = (long) direction * shape.batch() + entry;
        compare(call.lastState(), at, reference.state, text + ": last state");
        compare(call.lastCell(), at, reference.cell, text + ": last cell");
    }

    private static void compare(@Nullable MemorySegment got, long row, double[] expected, String text) {
        for (int i = 0; got != null && i < expected.length; i++) {
            float value = got.getAtIndex(FLOAT, row * expected.length + i);
            if (!(Math.abs(value - expected[i]) <= TOLERANCE)) {
                throw new AssertionError(text + ", unit " + i + " is " + value + ", not " + expected[i]);
            }
        }
    }
}
