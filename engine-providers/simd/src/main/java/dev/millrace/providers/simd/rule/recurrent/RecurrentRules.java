package dev.millrace.providers.simd.rule.recurrent;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.recurrent.GruVariant;
import dev.millrace.kernels.recurrent.LstmStep;
import dev.millrace.kernels.recurrent.Recurrent;
import dev.millrace.kernels.recurrent.RecurrentSizes;
import dev.millrace.kernels.recurrent.RecurrentSizes.Direction;
import dev.millrace.kernels.recurrent.RnnStep;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Recurrent layers of floats. */
public final class RecurrentRules {
    private RecurrentRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.LSTM, OpName.GRU, "RNN" -> RecurrentRules::layer;
            default -> null;
        };
    }

    private static boolean layer(LoweringContext op) {
        Recurrent driver = fits(op) ? driver(op) : null;
        if (driver == null) {
            return false;
        }
        Shape x = op.in(0).shape();
        boolean batchFirst = op.attributes().flag("layout", false);
        var shape = new RecurrentSizes(
                Math.toIntExact(x.dim(batchFirst ? 1 : 0)),
                Math.toIntExact(x.dim(batchFirst ? 0 : 1)),
                Math.toIntExact(x.dim(2)),
                Math.toIntExact(op.in(2).shape().dim(2)),
                direction(op));
        new RecurrentLayer(op, driver, shape, batchFirst).lower();
        return true;
    }

    private static boolean fits(LoweringContext op) {
        for (int i = 0; i < op.inputs(); i++) {
            if (i != RecurrentLayer.LENGTHS && op.has(i) && !op.in(i).isFloat()) {
                return false;
            }
        }
        return op.in(0).elements() > 0;
    }

    private static Direction direction(LoweringContext op) {
        return switch (op.attributes().text("direction", "forward")) {
            case "reverse" -> Direction.REVERSE;
            case "bidirectional" -> Direction.BOTH;
            default -> Direction.FORWARD;
        };
    }

    /** All that a driver depends on. */
    private record Kind(
            String name,
            List<Expr> functions,
            int directions,
            float clip,
            boolean peepholes,
            boolean coupled,
            boolean resetAfter) {
        static @Nullable Kind of(LoweringContext op) {
            List<String> defaults = switch (op.name()) {
                case OpName.LSTM -> List.of(OpName.SIGMOID, OpName.TANH, OpName.TANH);
                case OpName.GRU -> List.of(OpName.SIGMOID, OpName.TANH);
                default -> List.of(OpName.TANH);
            };
            Attributes attributes = op.attributes();
            int directions = direction(op) == Direction.BOTH ? 2 : 1;
            float clip = attributes.real("clip", Float.POSITIVE_INFINITY);
            List<Expr> functions = RecurrentActivations.of(attributes, directions, defaults, clip);
            if (functions == null) {
                return null;
            }
            return new Kind(
                    op.name(),
                    functions,
                    directions,
                    clip,
                    op.name().equals(OpName.LSTM) && op.has(RecurrentLayer.PEEPHOLES),
                    attributes.flag("input_forget", false),
                    attributes.flag("linear_before_reset", false));
        }

        /** Equal where all is; that of the record itself has to be linked first. */
        List<Object> key() {
            return List.of(Recurrent.class, name, functions, directions, clip, peepholes, coupled, resetAfter);
        }

        private boolean clips() {
            return clip < Float.POSITIVE_INFINITY;
        }

        private List<Expr> ofDirection(int direction) {
            int each = functions.size() / directions;
            return functions.subList(direction * each, (direction + 1) * each);
        }

        Recurrent driver(CompileEnvironment environment) {
            Gemm gemm = environment.gemm();
            return switch (name) {
                case OpName.LSTM -> Recurrent.lstm(environment.kernels(), gemm, variants(this::lstm), clip);
                case OpName.GRU ->
                    Recurrent.gru(
                            environment.kernels(),
                            gemm,
                            variants(f -> new GruVariant(f.get(0), f.get(1), clips(), resetAfter)),
                            clip);
                default ->
                    Recurrent.rnn(
                            environment.kernels(),
                            gemm,
                            variants(f -> new RnnStep.Variant(f.getFirst(), clips())),
                            clip);
            };
        }

        private LstmStep.Variant lstm(List<Expr> f) {
            return new LstmStep.Variant(f.get(0), f.get(1), f.get(2), peepholes, clips(), coupled);
        }

        private interface Making<V> {
            V of(List<Expr> functions);
        }

        private <V> List<V> variants(Making<V> making) {
            var variants = new ArrayList<V>();
            for (int i = 0; i < directions; i++) {
                variants.add(making.of(ofDirection(i)));
            }
            return variants;
        }
    }

    private static @Nullable Recurrent driver(LoweringContext op) {
        Kind kind = Kind.of(op);
        return kind == null ? null : op.environment().driver(kind.key(), () -> kind.driver(op.environment()));
    }
}
