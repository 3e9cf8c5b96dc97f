package dev.millrace.bench.serve;

import dev.millrace.bench.compare.Duel;
import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.bench.nets.SmallSum;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.SessionFlags;
import dev.millrace.cli.UsageException;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.model.UsualShapes;
import dev.millrace.session.Engine;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Flux;

/** Measures what it costs to run as a stream. */
@Command(
        name = "flux",
        mixinStandardHelpOptions = true,
        description = {
            "Measures what a stream costs over plain runs, in turns.",
            "An Add of 8 floats beside 'run' in a loop shows what an element costs; MiniLM runs at a"
                    + " concurrency of several beside as many plain threads."
        })
public final class FluxCommand implements Callable<Integer> {
    private static final double NANOS = 1e9;
    private static final long BLOCK_NANOS = 100_000_000;
    private static final int LEAST_BLOCKS = 5;
    private static final int ELEMENTS = 1000;
    private static final int SENTENCES = 8;
    private static final long SEED = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long each of the two is measured (default: ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private double seconds;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "Runs of MiniLM at once, and threads (default: ${DEFAULT-VALUE}).",
            defaultValue = "2")
    private int concurrency;

    @Option(
            names = "--tokens",
            paramLabel = "N",
            description = "Tokens of MiniLM's sentences (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int tokens;

    @Option(names = "--no-model", description = "Leave MiniLM out.")
    private boolean addOnly;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws Exception {
        UsageException.requireAtLeast(1, "--concurrency", concurrency);
        UsageException.requireAtLeast(1, "--tokens", tokens);
        PrintWriter out = spec.commandLine().getOut();
        try (Engine engine = flags.engine()) {
            out.println(add(engine));
            out.flush();
            if (!addOnly) {
                out.println(sentences(engine));
                out.flush();
            }
        }
        return ExitCode.OK;
    }

    private Duel measured(Duel.Side flux, Duel.Side plain) throws Exception {
        return Duel.of(flux, plain, Duel.Pace.ofSeconds(seconds, BLOCK_NANOS, LEAST_BLOCKS));
    }

    private String add(Engine engine) throws Exception {
        Inputs inputs = SmallSum.inputs();
        try (var scratch = new ScratchFolder("millrace-flux")) {
            try (Session session = engine.session(SmallSum.in(scratch.path()), flags.options())) {
                Flux<Inputs> requests = Flux.range(0, ELEMENTS).map(_ -> inputs);
                Duel duel = measured(
                        () -> session.flux(requests).doOnNext(Outputs::close).blockLast(), () -> {
                            for (int i = 0; i < ELEMENTS; i++) {
                                session.run(inputs).close();
                            }
                        });
                double flux = duel.ourMicros() / ELEMENTS;
                double run = Objects.requireNonNull(duel.referenceMicros()) / ELEMENTS;
                return "Add of %d floats: flux %.3f µs, run %.3f µs, an element costs %.3f µs"
                        .formatted(SmallSum.LENGTH, flux, run, flux - run);
            }
        }
    }

    private String sentences(Engine engine) throws Exception {
        ModelArgument model = ModelArgument.of("minilm");
        ExecutorService threads = Executors.newFixedThreadPool(concurrency);
        try (Session session = engine.session(model.file(), flags.options())) {
            Inputs inputs = new InputMaker(model.known(), UsualShapes.tokens(1, tokens), SEED).make(session.inputs());
            int all = SENTENCES * concurrency;
            Flux<Inputs> requests = Flux.range(0, all).map(_ -> inputs);
            FluxOptions options = FluxOptions.builder().concurrency(concurrency).build();
            Duel duel = measured(
                    () -> session.flux(requests, options)
                            .doOnNext(Outputs::close)
                            .blockLast(),
                    () -> onThreads(threads, session, inputs));
            return "MiniLM 1×%d at %d: flux %.1f/s, threads %.1f/s, flux ÷ threads %.3f"
                    .formatted(
                            tokens,
                            concurrency,
                            all * NANOS / (duel.ourMicros() * 1e3),
                            all * NANOS / (Objects.requireNonNull(duel.referenceMicros()) * 1e3),
                            duel.ratio());
        } finally {
            threads.shutdown();
        }
    }

    private void onThreads(ExecutorService threads, Session session, Inputs inputs)
            throws InterruptedException, ExecutionException {
        List<Future<?>> parts = new ArrayList<>();
        for (int i = 0; i < concurrency; i++) {
            parts.add(threads.submit(() -> {
                for (int sentence = 0; sentence < SENTENCES; sentence++) {
                    session.run(inputs).close();
                }
            }));
        }
        for (Future<?> part : parts) {
            part.get();
        }
    }
}
