package dev.millrace.bench.serve;

import dev.millrace.bench.compare.Duel;
import dev.millrace.bench.compare.Numbers;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.SessionFlags;
import dev.millrace.cli.UsageException;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.model.UsualShapes;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Flux;

/** Measures what batches give. */
@Command(
        name = "batching",
        mixinStandardHelpOptions = true,
        description = {
            "Measures what batches give to many subscribers, in turns with the same session without batches.",
            "Each subscriber asks for one answer after the other; a ratio is how much more is answered with"
                    + " batches.",
            "Below are runs with the batch made by hand, on as many threads as the engine has, beside single"
                    + " runs by hand, which is what the model's kernels give, and what batches reach of that.",
            "Then comes the 99th percentile of a lone request whose caller blocks, and of one whose subscriber"
                    + " is told on another thread, beside that of the same run without a stream."
        })
public final class BatchingCommand implements Callable<Integer> {
    private static final double NANOS = 1e9;
    private static final double MICRO = 1e3;
    private static final int LEAST_BLOCKS = 5;
    private static final int LEAST_REQUESTS = 4;
    /** So long subscribers ask at least, beside which it does not count that the first ask alone and the last have no others. */
    private static final double LEAST_SECONDS = 0.25;

    private static final int RUNS_BY_HAND = 8;
    private static final int LONE_REQUESTS = 200;
    private static final double PERCENT = 99;
    private static final long SEED = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long each pair is measured (default: ${DEFAULT-VALUE}).",
            defaultValue = "10")
    private double seconds;

    @Option(
            names = "--subscribers",
            paramLabel = "N",
            description = "Subscribers at once (default: ${DEFAULT-VALUE}).",
            defaultValue = "64")
    private int subscribers;

    @Option(
            names = "--max-size",
            paramLabel = "N",
            description = "Requests that make one run at most (default: ${DEFAULT-VALUE}).",
            defaultValue = "16")
    private int maxSize;

    @Option(
            names = "--max-delay",
            paramLabel = "MS",
            description = "How long a request waits for others at most (default: ${DEFAULT-VALUE}).",
            defaultValue = "2")
    private long maxDelay;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws Exception {
        UsageException.requireAtLeast(1, "--subscribers", subscribers);
        UsageException.requireAtLeast(1, "--max-size", maxSize);
        PrintWriter out = spec.commandLine().getOut();
        try (Engine engine = flags.engine();
                var hands = new Hands(engine.threads())) {
            measure(out, engine, hands, "MiniLM 1×8", "minilm", 8);
            measure(out, engine, hands, "Silero VAD v5", "silero-vad", 0);
        }
        return ExitCode.OK;
    }

    private Duel measured(Duel.Side one, Duel.Side other) throws Exception {
        return Duel.of(one, other, Duel.Pace.ofSeconds(seconds, 0, LEAST_BLOCKS));
    }

    /**
     * A model, asked in all ways.
     *
     * @param many inputs of as many requests as a batch has at most
     * @param requests how often each subscriber asks
     */
    private record Asked(String label, Session session, Inference batched, Inputs inputs, Inputs many, int requests) {}

    private void measure(PrintWriter out, Engine engine, Hands hands, String label, String name, long tokens)
            throws Exception {
        ModelArgument model = ModelArgument.of(name);
        try (Session session = engine.session(model.file(), flags.options())) {
            Inputs inputs = inputs(model, session, 1, tokens);
            Inputs many = inputs(model, session, maxSize, tokens);
            BatchOptions.Builder options =
                    BatchOptions.builder().maxSize(maxSize).maxDelay(Duration.ofMillis(maxDelay));
            if (tokens == 0) {
                // Silero's extents have no names
                options.along("input", 0).along("state", 1).along("output", 0).along("stateN", 1);
            }
            Inference batched = session.batched(options.build());
            var asked = new Asked(label, session, batched, inputs, many, requests(batched, inputs));
            double number = subscribed(out, asked);
            double limit = byHand(out, asked, hands);
            out.println("%s: batches give %.2f times as much, and runs of %d by hand %.2f"
                    .formatted(label, number, maxSize, limit));
            out.flush();
            lone(out, asked);
        }
    }

    /** How much more is answered with batches. */
    private double subscribed(PrintWriter out, Asked asked) throws Exception {
        Duel together = measured(() -> everybody(asked.batched, asked), () -> everybody(asked.session, asked));
        double all = (double) subscribers * asked.requests;
        out.println("%s, %d subscribers: batched %.1f/s, unbatched %.1f/s, ratio %.2f"
                .formatted(
                        asked.label,
                        subscribers,
                        perSecond(all, together.ourMicros()),
                        perSecond(all, Objects.requireNonNull(together.referenceMicros())),
                        together.ratio()));
        out.flush();
        return Objects.requireNonNull(together.ratio());
    }

    /** How much more the kernels do in large runs, which bounds what batches give. */
    private double byHand(PrintWriter out, Asked asked, Hands hands) throws Exception {
        Duel.Side many = () -> hands.all(() -> times(RUNS_BY_HAND, asked.session, asked.many));
        Duel.Side single = () -> hands.all(() -> times(RUNS_BY_HAND * maxSize, asked.session, asked.inputs));
        Duel kernels = measured(many, single);
        double all = (double) hands.count * RUNS_BY_HAND * maxSize;
        out.println("%s, by hand on %d threads: in runs of %d %.1f/s, of 1 %.1f/s, ratio %.2f"
                .formatted(
                        asked.label,
                        hands.count,
                        maxSize,
                        perSecond(all, kernels.ourMicros()),
                        perSecond(all, Objects.requireNonNull(kernels.referenceMicros())),
                        kernels.ratio()));
        out.flush();
        Duel reached = measured(() -> everybody(asked.batched, asked), many);
        out.println("%s, batched beside runs of %d by hand: ratio %.2f"
                .formatted(
                        asked.label,
                        maxSize,
                        Objects.requireNonNull(reached.ratio()) * subscribers * asked.requests / all));
        out.flush();
        return Objects.requireNonNull(kernels.ratio());
    }

    private static double perSecond(double requests, double micros) {
        return requests * NANOS / MICRO / micros;
    }

    /** Threads that do the same at once. */
    private static final class Hands implements AutoCloseable {
        private final int count;
        private final ExecutorService executor;

        Hands(int count) {
            this.count = count;
            this.executor = Executors.newFixedThreadPool(count);
        }

        void all(Runnable work) throws Exception {
            for (Future<Object> done : executor.invokeAll(Collections.nCopies(count, Executors.callable(work)))) {
                done.get();
            }
        }

        @Override
        public void close() {
            executor.close();
        }
    }

    private static Inputs inputs(ModelArgument model, Session session, long batch, long tokens) {
        Map<String, long[]> shapes = tokens > 0
                ? UsualShapes.tokens(batch, tokens)
                : Map.of("input", new long[] {batch, 512}, "state", new long[] {2, batch, 128});
        return new InputMaker(model.known(), shapes, SEED).make(session.inputs());
    }

    private static void times(int count, Session session, Inputs inputs) {
        for (int i = 0; i < count; i++) {
            session.run(inputs).close();
        }
    }

    /** How often each subscriber has to ask for all of them to ask for long enough. */
    private int requests(Inference inference, Inputs inputs) {
        double quickest = Double.MAX_VALUE;
        long end = System.nanoTime() + (long) (LEAST_SECONDS * NANOS);
        do {
            long start = System.nanoTime();
            everybody(inference, inputs, LEAST_REQUESTS);
            quickest = Math.min(quickest, (System.nanoTime() - start) / NANOS);
        } while (System.nanoTime() < end);
        return Math.max(LEAST_REQUESTS, (int) (LEAST_REQUESTS * LEAST_SECONDS / quickest));
    }

    private void everybody(Inference inference, Asked asked) {
        everybody(inference, asked.inputs, asked.requests);
    }

    /** Every subscriber asks so often, each time when it has its answer. */
    private void everybody(Inference inference, Inputs inputs, int requests) {
        Flux.range(0, subscribers)
                .flatMap(_ -> inference.mono(inputs).doOnNext(Outputs::close).repeat(requests - 1), subscribers)
                .blockLast();
    }

    /**
     * One who asks alone, by {@code block()} and as a subscriber, in turns with runs, some hundred at a time: each time in
     * another order, for who comes after a change of threads is the slower for it.
     */
    private void lone(PrintWriter out, Asked model) throws Exception {
        var blocked = new Turns(() ->
                Objects.requireNonNull(model.batched.mono(model.inputs).block()).close());
        var subscribed = new Turns(
                () -> model.batched.mono(model.inputs).toFuture().get().close());
        var ran = new Turns(() -> model.session.run(model.inputs).close());
        List<Turns> order = new ArrayList<>(List.of(blocked, subscribed, ran));
        var random = new Random(SEED);
        long end = System.nanoTime() + (long) (seconds * NANOS);
        do {
            for (int i = 0; i < LONE_REQUESTS; i++) {
                Collections.shuffle(order, random);
                for (Turns each : order) {
                    each.next();
                }
            }
            double slowest = ran.slowest();
            blocked.ratios.add(blocked.slowest() / slowest);
            subscribed.ratios.add(subscribed.slowest() / slowest);
        } while (System.nanoTime() < end);
        out.println("%s, a lone request: p99 %.1f µs, of a run %.1f µs, median of the ratios %.2f"
                .formatted(model.label, blocked.micros(), ran.micros(), blocked.ratio()));
        out.println("%s, a lone request of a subscriber on another thread: p99 %.1f µs, median of the ratios %.2f"
                .formatted(model.label, subscribed.micros(), subscribed.ratio()));
        out.flush();
    }

    /** One of those who take turns, and how long it took each time. */
    private static final class Turns {
        private final Duel.Side side;
        private final Latencies all = new Latencies();
        private final List<Double> ratios = new ArrayList<>();
        private Latencies now = new Latencies();

        Turns(Duel.Side side) {
            this.side = side;
        }

        void next() throws Exception {
            long start = System.nanoTime();
            side.run();
            long nanos = System.nanoTime() - start;
            all.add(nanos);
            now.add(nanos);
        }

        /** The percentile of the last some hundred, which are over with it. */
        double slowest() {
            double slowest = now.percentile(PERCENT);
            now = new Latencies();
            return slowest;
        }

        double micros() {
            return all.percentile(PERCENT) / MICRO;
        }

        double ratio() {
            return Numbers.median(ratios);
        }
    }
}
