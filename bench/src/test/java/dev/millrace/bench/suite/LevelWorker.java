package dev.millrace.bench.suite;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * A process at one level. Prints the level's number, then for each case how far from the plain provider's answers those of
 * the fast one are, and its strict ones, in billionths of the largest number; {@link #ABSENT} where the model is not
 * there and {@link #FAILED} where a run failed.
 */
final class LevelWorker {
    static final long ABSENT = -1;
    static final long FAILED = -2;

    private static final double BILLIONTHS = 1e9;
    /** Threads for which work is cut in other ways than for one or two. */
    private static final int MANY = 5;

    private LevelWorker() {}

    /** @param arguments whether large models are wanted, too */
    public static void main(String[] arguments) throws Exception {
        System.out.println(Kernels.shared().level().ordinal());
        try (Engine engine = Engine.create()) {
            for (LevelCase one : LevelCase.of(Kernels.shared().level(), Boolean.parseBoolean(arguments[0]))) {
                System.out.println(distances(engine, one));
            }
        }
    }

    private static String distances(Engine engine, LevelCase one) throws Exception {
        try {
            return distances(engine, one.model().get(), one.shapes());
        } catch (AbsentModel absent) {
            System.err.println("skipped: " + one.name() + ": " + absent.getMessage());
            return ABSENT + " " + ABSENT;
        } catch (RuntimeException | Error failure) {
            System.err.println("failed: " + one.name());
            failure.printStackTrace();
            return FAILED + " " + FAILED;
        }
    }

    private static String distances(Engine engine, ModelArgument model, Map<String, long[]> shapes)
            throws OrtException {
        Path file = model.file();
        var unoptimised = Optimiser.Options.builder().level(Level.DISABLED).build();
        var plainOptions =
                SessionOptions.builder().provider("cpu").optimiser(unoptimised).build();
        Inputs inputs;
        Map<String, Tensor> plain;
        try (var session = new Millrace(engine, file, plainOptions)) {
            session.create();
            inputs = new InputMaker(model.known(), shapes, 1).make(session.inputs());
            plain = session.answer(inputs);
        }
        requireTelling(plain);
        return distance(engine, file, inputs, plain, Map.of(), 0) + " "
                + distance(engine, file, inputs, plain, Map.of("strict", "true"), MANY);
    }

    /** Numbers that are all the same, or none, agree with whatever goes wrong. */
    private static void requireTelling(Map<String, Tensor> answers) {
        double[] numbers = answers.values().stream()
                .filter(answer -> answer.type() == ElementType.FLOAT)
                .flatMapToDouble(answer -> Arrays.stream(answer.doubles()))
                .toArray();
        boolean differ = Arrays.stream(numbers).distinct().count() > 1;
        if (!differ || !Arrays.stream(numbers).allMatch(Double::isFinite)) {
            throw new IllegalStateException("the plain provider's answers tell nothing");
        }
    }

    private static long distance(
            Engine engine,
            Path file,
            Inputs inputs,
            Map<String, Tensor> plain,
            Map<String, String> options,
            int threads) {
        var choice = SessionOptions.builder()
                .provider("simd", options)
                .provider("cpu")
                .threads(threads)
                .build();
        try (var session = new Millrace(engine, file, choice)) {
            session.create();
            // where kernels are machine code the second run writes its calls down, and the third one goes through their
            // table
            int runs = Kernels.shared().level().emitsMachineCode() ? 3 : 1;
            double furthest = 0;
            for (int i = 0; i < runs; i++) {
                furthest = Math.max(furthest, Answers.relativeDiff(session.answer(inputs), plain));
            }
            return (long) Math.min(Long.MAX_VALUE, BILLIONTHS * furthest);
        }
    }
}
