package dev.millrace.cli.fire;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Keyed;
import dev.millrace.session.ModelInput;
import dev.millrace.session.Outputs;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.RunOptions;
import dev.millrace.session.RunResult;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.State;
import dev.millrace.session.StateOptions;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/** What can be called, rightly or with nothing, too much or what is closed where something belongs. */
@SuppressWarnings({"NullAway", "DataFlowIssue"}) // nulls are what is tried
final class MisuseCalls {
    private static final Path NOWHERE = Path.of("nowhere", "model.onnx");
    private static final Shape HUGE = Shape.of(1L << 40, 12);
    private static final long[] PROMPT = {1, 2};

    private final Path file;
    private final List<Call> all = new ArrayList<>();

    /** A call, and what it is told of as. */
    record Call(String name, Consumer<MisuseScene> action) {}

    /** @param file of {@link MisuseScene#MODEL} */
    private MisuseCalls(Path file) {
        this.file = file;
        endings();
        runs();
        runOptions();
        outputs();
        preparations();
        engines();
        streams();
        batches();
        sequences();
        generations();
        replacements();
    }

    static List<Call> all(Path file) {
        return new MisuseCalls(file).all;
    }

    private void add(String name, Consumer<MisuseScene> action) {
        all.add(new Call(name, action));
    }

    /** Twice as often as what ends everything. */
    private void often(String name, Consumer<MisuseScene> action) {
        add(name, action);
        add(name, action);
    }

    private void endings() {
        add("close", scene -> scene.session.close());
        add("close within no time", scene -> scene.session.close(Duration.ZERO));
        add("close before", scene -> scene.session.close(Duration.ofMillis(-1)));
        add("close within null", scene -> scene.session.close(null));
        add("close the engine", scene -> scene.engine.close());
        add("cancel", scene -> scene.cancellation.cancel());
        for (int i = 0; i < 8; i++) {
            add("open", scene -> {
                scene.session = scene.engine.session(MisuseScene.MODEL, SessionOptions.defaults());
                scene.batched = scene.session.batched(BatchOptions.defaults());
            });
        }
    }

    private void runs() {
        for (int i = 0; i < 6; i++) {
            add("run", scene -> scene.run().get(0).floats());
        }
        add("run null", scene -> scene.session.run(null));
        add("run with null", scene -> scene.session.run(MisuseScene.INPUTS, null));
        add("run a null tensor", scene -> scene.session.run(Inputs.of("x", (Tensor) null)));
        add("run a null name", scene -> scene.session.run(Inputs.of(null, 1f)));
        add("run a null map", scene -> scene.session.run(Inputs.of((Map<String, Tensor>) null)));
        add("run null floats", scene -> scene.session.run(Inputs.of("x", (float[]) null)));
        add("run null longs", scene -> scene.session.run(Inputs.of("x", (long[]) null)));
        add("run nothing", scene -> scene.session.run(Inputs.empty()));
        add("run another type", scene -> scene.session.run(Inputs.of("x", Tensor.copyOf(new long[24], 2, 12))));
        add("run another rank", scene -> scene.session.run(Inputs.of("x", Tensor.copyOf(new float[24], 24))));
        add("run no rows", scene -> scene.session.run(Inputs.of("x", Tensor.copyOf(new float[0], 0, 12))));
        often("run a closed tensor", scene -> {
            Tensor closed = Tensor.allocate(ElementType.FLOAT, Shape.of(2, 12));
            closed.close();
            scene.session.run(Inputs.of("x", closed));
        });
        often("run interrupted", scene -> {
            Thread.currentThread().interrupt();
            try {
                scene.run();
            } finally {
                Thread.interrupted();
            }
        });
        add("run into another one", scene -> scene.session.then(scene.session).run(MisuseScene.INPUTS));
        add("then null", scene -> scene.session.then((Inference) null).run(MisuseScene.INPUTS));
        add(
                "then by no names",
                scene -> scene.session
                        .then(scene.adding, (Map<String, String>) null)
                        .run(MisuseScene.INPUTS));
        add(
                "then by nobody",
                scene -> scene.session
                        .then(scene.adding, (Function<Outputs, Inputs>) null)
                        .run(MisuseScene.INPUTS));
        add(
                "then null inputs",
                scene -> scene.session.then(scene.adding, out -> null).run(MisuseScene.INPUTS));
    }

    private void how(String name, Function<MisuseScene, RunOptions> how) {
        add(name, scene -> scene.run(how.apply(scene)).get(0).floats());
    }

    private void runOptions() {
        how("return nobody", scene -> RunOptions.create().returning("nobody"));
        how("return null", scene -> RunOptions.create().returning((String) null));
        how("return no names", scene -> RunOptions.create().returning((String[]) null));
        how("return twice", scene -> RunOptions.create().returning(scene.output(), scene.output()));
        how("cancelled by null", scene -> RunOptions.create().cancelledBy(null));
        how("heard by null", scene -> RunOptions.create().heardBy(null));
        how("no deadline", scene -> RunOptions.create().deadline(null));
        how("within the past", scene -> RunOptions.create().within(Duration.ofSeconds(-5)));
        how("within null", scene -> RunOptions.create().within(null));
        how("within ever", scene -> RunOptions.create().within(Duration.ofSeconds(Long.MAX_VALUE)));
        how("the last of all", scene -> RunOptions.create().priority(Integer.MIN_VALUE));
        how("into null", scene -> RunOptions.create().into(scene.output(), null));
        how("into a null name", scene -> RunOptions.create().into(null, given(2, 7)));
        how("into nobody's", scene -> RunOptions.create().into("nobody", given(2, 7)));
        how("into a tensor", scene -> RunOptions.create().into(scene.output(), given(2, 7)));
        how("into another shape", scene -> RunOptions.create().into(scene.output(), given(7, 2)));
        how("into more", scene -> RunOptions.create().into(scene.output(), given(3, 7)));
        how(
                "into what is not returned",
                scene -> RunOptions.create().into(scene.output(), given(2, 7)).returning("nobody"));
        how(
                "into another type",
                scene -> RunOptions.create().into(scene.output(), Tensor.allocate(ElementType.INT64, Shape.of(2, 7))));
        how("into what is closed", scene -> {
            Tensor closed = given(2, 7);
            closed.close();
            return RunOptions.create().into(scene.output(), closed);
        });
        how(
                "into what cannot be written",
                scene -> RunOptions.create()
                        .into(
                                scene.output(),
                                Tensor.wrap(
                                        ElementType.FLOAT,
                                        Shape.of(2, 7),
                                        given(2, 7).segment().asReadOnly())));
    }

    private static Tensor given(long... dims) {
        return Tensor.allocate(ElementType.FLOAT, Shape.of(dims));
    }

    private void ofLast(String name, Consumer<Outputs> action) {
        add(name, scene -> {
            Outputs last = scene.last();
            if (last != null) {
                action.accept(last);
            }
        });
    }

    private void outputs() {
        ofLast("close an answer twice", last -> {
            last.close();
            last.close();
        });
        ofLast("read an answer", last -> last.get(0).floats());
        ofLast("read nobody's answer", last -> last.get("nobody"));
        ofLast("read a null answer", last -> last.get(null));
        ofLast("read the seventh answer", last -> last.get(7));
        ofLast("read the answer before the first", last -> last.get(-1));
        ofLast("all answers", last -> assertNamed(last.asMap()));
        add("an answer as an input", scene -> {
            Outputs last = scene.last();
            if (last != null) {
                scene.session.run(Inputs.of("x", last.get(0)));
            }
        });
    }

    private static void assertNamed(Map<String, ?> named) {
        if (named.toString().isEmpty()) {
            throw new AssertionError("answers have names");
        }
    }

    private void warm(String name, Map<String, Shape> shapes) {
        add(name, scene -> scene.session.warmUp(shapes));
    }

    private void preparations() {
        add("health", scene -> scene.session.health().troubles());
        add("health of the engine", scene -> scene.engine.health().isAnswering());
        add("report", scene -> scene.session.report());
        add("stretches", scene -> scene.session.stretches());
        add("trim", scene -> scene.session.trim());
        add("waiting", scene -> scene.session.waiting());
        add("label", scene -> scene.session.label().providers());
        add("metadata", scene -> scene.session.metadata().properties());
        warm("warm up", Map.of("x", Shape.of(5, 12)));
        warm("warm up nothing", Map.of());
        warm("warm up null", null);
        warm("warm up a null shape", Collections.singletonMap("x", null));
        warm("warm up a null name", Collections.singletonMap(null, Shape.of(5, 12)));
        warm("warm up nobody", Map.of("nobody", Shape.of(5, 12)));
        warm("warm up other columns", Map.of("x", Shape.of(5, 11)));
        warm("warm up no rows", Map.of("x", Shape.of(0, 12)));
        warm("warm up too much", Map.of("x", HUGE));
    }

    private void engines() {
        add("memory", scene -> scene.engine.memory().kept());
        add("bytes that are null", scene -> scene.engine.session((byte[]) null, SessionOptions.defaults()));
        add("a segment that is null", scene -> scene.engine.session((MemorySegment) null, SessionOptions.defaults()));
        add("a file that is null", scene -> scene.engine.session((Path) null));
        add("a file that is nowhere", scene -> scene.engine.session(NOWHERE));
        add("options that are null", scene -> scene.engine.session(MisuseScene.MODEL, null));
        add("bytes that are no model", scene -> scene.engine.session(new byte[] {1, 2}, SessionOptions.defaults()));
        add("a compiler of null", scene -> scene.engine.compiler(null));
        add("compatibility of null bytes", scene -> scene.engine.compatibility((byte[]) null));
        add("compatibility of a null file", scene -> scene.engine.compatibility((Path) null));
        add("compatibility of null", scene -> scene.engine.compatibility(null, null, null));
        add("incompatibilities of null", scene -> scene.engine.incompatibilities(null, null));
        add("a null stream", scene -> ModelInput.stream(null));
        add(
                "no threads",
                scene -> Engine.create(EngineOptions.defaults().withThreads(0)).close());
        add(
                "fewer threads than none",
                scene -> Engine.create(EngineOptions.defaults().withThreads(-1)).close());
        add("null options of an engine", scene -> Engine.create(null).close());
        add(
                "null providers",
                scene -> Engine.create(EngineOptions.defaults().withProviders(null))
                        .close());
        add("a budget below nothing", scene -> within(-1));
        add("a budget of a byte", scene -> within(1));
        add("a budget of some", scene -> within(100_000));
        add("a null provider", scene -> SessionOptions.builder().provider(null));
        add("a null listener", scene -> SessionOptions.builder().listener(null).build());
        add(
                "nobody's provider",
                scene -> scene.engine.session(
                        MisuseScene.MODEL,
                        SessionOptions.builder().provider("nobody").build()));
    }

    private static void within(long budget) {
        EngineOptions options = EngineOptions.defaults().withThreads(1).withMemoryBudget(budget);
        try (var engine = Engine.create(options);
                var session = engine.session(MisuseScene.MODEL, SessionOptions.defaults())) {
            session.run(MisuseScene.INPUTS).close();
        }
    }

    private static void drain(Flux<Outputs> answers) {
        answers.toIterable().forEach(Outputs::close);
    }

    private void streams() {
        Flux<Inputs> three = Flux.just(MisuseScene.INPUTS, MisuseScene.INPUTS, MisuseScene.INPUTS);
        Flux<Inputs> mixed = Flux.just(MisuseScene.INPUTS, Inputs.empty(), MisuseScene.INPUTS);
        add(
                "mono",
                scene -> scene.session.mono(MisuseScene.INPUTS).blockOptional().ifPresent(Outputs::close));
        add("mono of null", scene -> scene.session.mono(null));
        add("mono with null", scene -> scene.session.mono(MisuseScene.INPUTS, null));
        often("flux", scene -> drain(scene.session.flux(three)));
        add("flux taken in part", scene -> drain(scene.session.flux(three).take(2)));
        add("flux of null", scene -> scene.session.flux(null));
        add("flux with null", scene -> scene.session.flux(three, null));
        add("flux of a mistake", scene -> drain(scene.session.flux(mixed)));
        often("results", scene -> scene.session.results(mixed).toIterable().forEach(RunResult::close));
        add("results of null", scene -> scene.session.results(null));
        add("results with null", scene -> scene.session.results(three, null));
        streamed("flux to nobody", FluxOptions.defaults().returning("nobody"));
        streamed("flux too late", FluxOptions.defaults().deadline(Duration.ofSeconds(-1)));
        streamed("flux for ever", FluxOptions.defaults().deadline(Duration.ofSeconds(Long.MAX_VALUE)));
        streamed(
                "flux of all at once",
                FluxOptions.defaults().concurrency(Integer.MAX_VALUE).unordered());
        streamed(
                "flux that tries again",
                FluxOptions.defaults().retries(Integer.MAX_VALUE).prefetch(1));
        add("flux returning null", scene -> FluxOptions.defaults().returning((String) null));
        add("flux of fewer than none", scene -> FluxOptions.defaults().concurrency(-1));
    }

    private void streamed(String name, FluxOptions how) {
        add(
                name,
                scene -> scene.session
                        .results(Flux.just(MisuseScene.INPUTS, MisuseScene.INPUTS), how)
                        .toIterable()
                        .forEach(RunResult::close));
    }

    private void batch(String name, Function<BatchOptions, BatchOptions> how) {
        add(name, scene -> {
            scene.batched = scene.session.batched(how.apply(BatchOptions.defaults()));
            scene.batched.run(MisuseScene.INPUTS).close();
        });
    }

    private void batches() {
        often("run in a batch", scene -> scene.batched.run(MisuseScene.INPUTS).close());
        add("run null in a batch", scene -> scene.batched.run(null));
        add("run nothing in a batch", scene -> scene.batched.run(Inputs.empty()));
        add("run a null tensor in a batch", scene -> scene.batched.run(Inputs.of("x", (Tensor) null)));
        add(
                "results of batches",
                scene -> scene.batched
                        .results(Flux.just(MisuseScene.INPUTS, Inputs.empty(), Inputs.of("x", given(3, 11))))
                        .toIterable()
                        .forEach(RunResult::close));
        batch("batches of one", how -> how.maxSize(1));
        batch("batches of none", how -> how.maxSize(0));
        batch("batches before", how -> how.maxDelay(Duration.ofSeconds(-1)));
        batch("batches within null", how -> how.maxDelay(null));
        batch("batches along nobody", how -> how.axis("nobody"));
        batch("batches along null", how -> how.along(null, 0));
        batch("batches along the seventh", how -> how.along("x", 7));
        batch("batches along columns", how -> how.along("x", 1));
        batch("batches of preferred null", how -> how.preferring((Integer) null));
        batch("batches of preferred none", how -> how.preferring(0, -3));
        batch("batches with padding", BatchOptions::withPadding);
        batch("null batches", how -> null);
    }

    private void sequences() {
        often("step", scene -> scene.sequence.run(MisuseScene.STEP).get(0).floats());
        often(
                "step of a key",
                scene -> scene.stateful.sequence("key").run(MisuseScene.STEP).close());
        add(
                "step in a batch",
                scene -> scene.together.sequence("key").run(MisuseScene.STEP).close());
        add("step of other rows", scene -> scene.sequence.run(Inputs.of("x", given(2, 3))));
        add("step of null", scene -> scene.sequence.run(null));
        add("step with null", scene -> scene.sequence.run(MisuseScene.STEP, null));
        add("step with a state", scene -> scene.sequence.run(Inputs.of(scene.state.input(), given(1, 3))));
        add(
                "step returning its state",
                scene -> scene.sequence
                        .run(MisuseScene.STEP, RunOptions.create().returning(scene.state.output()))
                        .close());
        add(
                "step into its state",
                scene -> scene.sequence.run(
                        MisuseScene.STEP, RunOptions.create().into(scene.state.output(), given(1, 3))));
        add("a null key", scene -> scene.stateful.sequence(null));
        add("end", scene -> scene.stateful.end("key"));
        add("end null", scene -> scene.stateful.end(null));
        often("snapshot", scene -> scene.snapshot = scene.sequence.snapshot());
        often("restore", scene -> scene.sequence.restore(scene.snapshot));
        restored("restore null", null);
        restored("restore nothing", Map.of());
        restored("restore a null state", Collections.singletonMap("state", null));
        restored("restore other rows", Map.of("state", given(2, 3)));
        restored("restore another rank", Map.of("state", given(3)));
        restored("restore another type", Map.of("state", Tensor.copyOf(new long[3], 1, 3)));
        add("reset", scene -> scene.sequence.reset());
        add("end the sequence", scene -> scene.sequence.close());
        add("end all sequences", scene -> scene.stateful.close());
        add("steps", scene -> drain(scene.stateful.flux(Flux.just(MisuseScene.STEP, MisuseScene.STEP))));
        add("steps of null", scene -> scene.stateful.flux(null).blockLast());
        add("steps of keys", scene -> keyed(scene.stateful, "a"));
        add("steps of keys in batches", scene -> keyed(scene.together, "b"));
        add("steps of null keys", scene -> keyed(scene.stateful, null));
        add("steps of null keyed", scene -> scene.stateful.keyed(null, FluxOptions.defaults()));
        add("states of nobody", scene -> scene.adding.stateful(State.carry("nobody", "state")));
        add("states of null", scene -> scene.adding.stateful((State) null));
        add("no states", scene -> scene.adding.stateful());
        add("null states", scene -> scene.adding.stateful((State[]) null));
        add("states with null", scene -> scene.adding.stateful((StateOptions) null, scene.state));
        add("states of null names", scene -> scene.adding.stateful(State.carry(null, null)));
        add(
                "states from other rows",
                scene -> scene.adding
                        .stateful(scene.state.from(given(2, 2)))
                        .begin()
                        .run(MisuseScene.STEP));
        add(
                "states of a huge zero",
                scene -> scene.adding.stateful(scene.state.ofZeros(1L << 40, 3)).begin());
        add("fewer sequences than one", scene -> new StateOptions(0, null));
    }

    private void restored(String name, Map<String, Tensor> snapshot) {
        add(name, scene -> {
            scene.sequence.restore(snapshot);
            scene.sequence.run(MisuseScene.STEP).close();
        });
    }

    private static void keyed(StatefulSession sequences, String key) {
        sequences
                .keyed(
                        Flux.just(new Keyed<>(key, MisuseScene.STEP), new Keyed<>(key, MisuseScene.STEP)),
                        FluxOptions.defaults())
                .toIterable()
                .forEach(answer -> answer.value().close());
    }

    private void generated(String name, long[] prompt, Function<GenerationOptions, GenerationOptions> how) {
        add(
                name,
                scene -> scene.generator.run(
                        prompt, how.apply(GenerationOptions.defaults().maxTokens(3))));
    }

    private void generations() {
        generated("generate", PROMPT, how -> how);
        generated("generate after null", null, how -> how);
        generated("generate after nothing", new long[0], how -> how);
        generated("generate after no word", new long[] {MisuseScene.WORDS}, how -> how);
        generated("generate after less than a word", new long[] {-1}, how -> how);
        generated("generate with null", PROMPT, how -> null);
        generated("generate nothing", PROMPT, how -> how.maxTokens(0));
        generated("generate at no temperature", PROMPT, how -> how.temperature(Double.NaN));
        generated(
                "generate in the cold",
                PROMPT,
                how -> how.temperature(Double.MIN_VALUE).seed(1));
        generated(
                "generate in the heat",
                PROMPT,
                how -> how.temperature(Double.MAX_VALUE).seed(1));
        generated(
                "generate the top of none",
                PROMPT,
                how -> how.topP(Double.MIN_VALUE).temperature(1));
        generated("generate the top of less", PROMPT, how -> how.topP(-1));
        generated("generate the first of none", PROMPT, how -> how.topK(0));
        generated(
                "generate the first of many",
                PROMPT,
                how -> how.topK(Integer.MAX_VALUE).temperature(1));
        generated("generate nothing again", PROMPT, how -> how.repetitionPenalty(Double.MIN_VALUE));
        generated("generate all again", PROMPT, how -> how.repetitionPenalty(Double.MAX_VALUE));
        generated("generate to null", PROMPT, how -> how.stopTokens((long[]) null));
        generated("generate to no word", PROMPT, how -> how.stopTokens(-1, Long.MAX_VALUE));
        generated("generate within no time", PROMPT, how -> how.within(Duration.ZERO));
        generated("generate within null", PROMPT, how -> how.within(null));
        generated("generate within a moment", PROMPT, how -> how.within(Duration.ofNanos(1)));
        generated("generate within ever", PROMPT, how -> how.within(Duration.ofSeconds(Long.MAX_VALUE)));
        generated("generate cancelled by null", PROMPT, how -> how.cancelledBy(null));
        add(
                "generate cancelled",
                scene ->
                        scene.generator.run(PROMPT, GenerationOptions.defaults().cancelledBy(scene.cancellation)));
        add("generate for nobody", scene -> scene.generator.run(PROMPT, GenerationOptions.defaults(), null));
        add("generate for who stops", scene -> scene.generator.run(PROMPT, GenerationOptions.defaults(), _ -> false));
        add(
                "generate a stream",
                scene -> scene.generator
                        .flux(PROMPT, GenerationOptions.defaults())
                        .take(2)
                        .blockLast());
        add(
                "generate at once",
                scene -> scene.generator
                        .mono(PROMPT, GenerationOptions.defaults().maxTokens(2))
                        .block());
        add("a generator of null", scene -> Generator.of(null));
        add("a generator without a signature", scene -> Generator.of(scene.writing, null));
        add("a generator of another model", scene -> Generator.of(scene.session, scene.generator.signature()));
        add("a signature of null", scene -> DecoderSignature.of(null));
        add(
                "a signature of null names",
                scene -> DecoderSignature.builder(scene.writing)
                        .logits(null)
                        .ids(null)
                        .state(null)
                        .build());
    }

    private void replacements() {
        often(
                "run what is replaced",
                scene -> scene.replaceable.run(MisuseScene.INPUTS).close());
        add(
                "results of what is replaced",
                scene -> scene.replaceable
                        .results(Flux.just(MisuseScene.INPUTS, MisuseScene.INPUTS))
                        .toIterable()
                        .forEach(RunResult::close));
        add("health of what is replaced", scene -> scene.replaceable.health().troubles());
        often("replace", scene -> scene.engine.replace(scene.replaceable, file));
        add("replace by nowhere", scene -> scene.engine.replace(scene.replaceable, NOWHERE));
        add("replace by null", scene -> scene.engine.replace(scene.replaceable, null));
        add("replace null", scene -> scene.engine.replace(null, file));
        add("replace with null", scene -> scene.engine.replace(scene.replaceable, file, null));
        add(
                "replace by a session",
                scene -> scene.replaceable.replace(scene.engine.session(MisuseScene.MODEL, SessionOptions.defaults())));
        add("replace by itself", scene -> scene.replaceable.replace(scene.replaceable.current()));
        add("replace by a null session", scene -> scene.replaceable.replace(null));
        add("replaceable null", scene -> ReplaceableSession.of(null));
        add("close what is replaced", scene -> scene.replaceable.close());
        add("close the current one", scene -> scene.replaceable.current().close());
    }
}
