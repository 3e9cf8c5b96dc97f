package dev.millrace.cli.conformance;

import dev.millrace.cli.io.InputFiles;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs cases one by one, each on a thread of its own that is given up when its time is over. */
public final class CaseRunner {
    private final Engine engine;
    private final Function<Cancellation, SessionOptions> options;
    private final Duration timeout;
    private final Skips skips = Skips.read();

    public CaseRunner(Engine engine, Function<Cancellation, SessionOptions> options, Duration timeout) {
        this.engine = engine;
        this.options = options;
        this.timeout = timeout;
    }

    public CaseResult run(BackendCase test) {
        String reason = skips.reason(test);
        if (reason != null) {
            return CaseResult.skipped(test, reason);
        }
        var cancellation = new Cancellation();
        var task = new FutureTask<@Nullable String>(() -> difference(test, cancellation));
        Thread.ofPlatform().name("case-" + test.name()).daemon(true).start(task);
        try {
            String difference = task.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return difference == null ? CaseResult.passed(test) : CaseResult.failed(test, difference);
        } catch (TimeoutException e) {
            cancellation.cancel();
            return CaseResult.failed(test, "cut off after " + timeout.toSeconds() + " s");
        } catch (ExecutionException e) {
            return CaseResult.failed(test, message(Objects.requireNonNull(e.getCause())));
        } catch (InterruptedException e) {
            cancellation.cancel();
            Thread.currentThread().interrupt();
            return CaseResult.failed(test, "interrupted");
        }
    }

    private static String message(Throwable thrown) {
        return thrown instanceof EngineException refused
                ? refused.status() + ": " + refused.getMessage()
                : thrown.toString();
    }

    private @Nullable String difference(BackendCase test, Cancellation cancellation) throws IOException {
        var comparison = new TensorComparison(Tolerance.of(test));
        try (Session session = engine.session(test.model(), options.apply(cancellation))) {
            for (Path data : test.dataSets()) {
                RunOptions runOptions =
                        RunOptions.builder().cancellation(cancellation).build();
                try (Outputs outputs = session.run(inputs(session, data), runOptions)) {
                    String difference = difference(session, outputs, data, comparison);
                    if (difference != null) {
                        return difference;
                    }
                }
            }
        }
        return null;
    }

    static Inputs inputs(Session session, Path data) throws IOException {
        var inputs = Inputs.empty();
        for (int i = 0; i < session.inputs().size(); i++) {
            ValueInfo info = session.inputs().get(i);
            Path file = data.resolve("input_" + i + ".pb");
            if (Files.isRegularFile(file)) {
                inputs.and(info.name(), InputFiles.readPb(file, info));
            } else if (!info.optional()) {
                inputs.and(info.name(), ramp(info));
            }
        }
        return inputs;
    }

    /** The input of the cases that come without one: element i of n is i / n. */
    private static Tensor ramp(ValueInfo info) {
        Shape shape = info.type() instanceof ValueType.TensorType type ? type.concreteShape() : null;
        if (shape == null) {
            throw EngineException.invalidArgument("there is no file for input " + info);
        }
        float[] values = new float[(int) shape.elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) ((double) i / values.length);
        }
        return Tensor.copyOf(values, shape.toArray());
    }

    static @Nullable String difference(Session session, Outputs outputs, Path data, TensorComparison comparison)
            throws IOException {
        for (int i = 0; i < session.outputs().size(); i++) {
            ValueInfo info = session.outputs().get(i);
            Path file = data.resolve("output_" + i + ".pb");
            if (!Files.isRegularFile(file)) {
                return "there is no expected output " + file.getFileName();
            }
            Datum expected = InputFiles.readPb(file, info);
            String difference = comparison.difference(expected, outputs.datum(info.name()));
            if (difference != null) {
                return "output '" + info.name() + "' " + difference;
            }
        }
        return null;
    }
}
