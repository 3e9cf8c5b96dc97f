package dev.millrace.cli.fire;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Keyed;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;

/** Calls of what is made of sessions: streams, batches, sequences, generations, replacements. */
@SuppressWarnings({"NullAway", "DataFlowIssue"}) // nulls are what is tried
final class StreamCalls extends MisuseCalls {
    private static final Path NOWHERE = Path.of("nowhere", "model.onnx");
    private static final long[] PROMPT = {1, 2};

    private final Path file;

    /** @param file of {@link MisuseScene#MODEL} */
    StreamCalls(Path file) {
        this.file = file;
        streams();
        batches();
        sequences();
        generations();
        replacements();
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
        streamed("flux to nobody", FluxOptions.builder().outputs("nobody").build());
        streamed(
                "flux too late",
                FluxOptions.builder().deadline(Duration.ofSeconds(-1)).build());
        streamed(
                "flux for ever",
                FluxOptions.builder()
                        .deadline(Duration.ofSeconds(Long.MAX_VALUE))
                        .build());
        streamed(
                "flux of all at once",
                FluxOptions.builder()
                        .concurrency(Integer.MAX_VALUE)
                        .ordered(false)
                        .build());
        streamed(
                "flux that tries again",
                FluxOptions.builder().retries(Integer.MAX_VALUE).prefetch(1).build());
        add(
                "flux returning null",
                scene -> FluxOptions.builder().outputs((String) null).build());
        add(
                "flux of fewer than none",
                scene -> FluxOptions.builder().concurrency(-1).build());
    }

    private void streamed(String name, FluxOptions options) {
        add(
                name,
                scene -> scene.session
                        .results(Flux.just(MisuseScene.INPUTS, MisuseScene.INPUTS), options)
                        .toIterable()
                        .forEach(RunResult::close));
    }

    private void batch(String name, UnaryOperator<BatchOptions.Builder> how) {
        add(name, scene -> {
            scene.batched =
                    scene.session.batched(how.apply(BatchOptions.builder()).build());
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
                        .results(Flux.just(MisuseScene.INPUTS, Inputs.empty(), Inputs.of("x", tensor(3, 11))))
                        .toIterable()
                        .forEach(RunResult::close));
        batch("batches of one", options -> options.maxSize(1));
        batch("batches of none", options -> options.maxSize(0));
        batch("batches before", options -> options.maxDelay(Duration.ofSeconds(-1)));
        batch("batches within null", options -> options.maxDelay(null));
        batch("batches along nobody", options -> options.axis("nobody"));
        batch("batches along null", options -> options.along(null, 0));
        batch("batches along the seventh", options -> options.along("x", 7));
        batch("batches along columns", options -> options.along("x", 1));
        batch("batches of preferred null", options -> options.preferred((Integer) null));
        batch("batches of preferred none", options -> options.preferred(0, -3));
        batch("batches with padding", options -> options.padded(true));
        add("null batches", scene -> scene.session.batched(null));
    }

    private void sequences() {
        often("step", scene -> scene.sequence.run(MisuseScene.STEP).get(0).floats());
        often(
                "step of a key",
                scene -> scene.stateful.sequence("key").run(MisuseScene.STEP).close());
        add(
                "step in a batch",
                scene -> scene.together.sequence("key").run(MisuseScene.STEP).close());
        add("step of other rows", scene -> scene.sequence.run(Inputs.of("x", tensor(2, 3))));
        add("step of null", scene -> scene.sequence.run(null));
        add("step with null", scene -> scene.sequence.run(MisuseScene.STEP, null));
        add("step with a state", scene -> scene.sequence.run(Inputs.of(scene.state.input(), tensor(1, 3))));
        add(
                "step returning its state",
                scene -> scene.sequence
                        .run(
                                MisuseScene.STEP,
                                RunOptions.builder()
                                        .outputs(scene.state.output())
                                        .build())
                        .close());
        add(
                "step into its state",
                scene -> scene.sequence.run(
                        MisuseScene.STEP,
                        RunOptions.builder()
                                .into(scene.state.output(), tensor(1, 3))
                                .build()));
        add("a null key", scene -> scene.stateful.sequence(null));
        add("end", scene -> scene.stateful.end("key"));
        add("end null", scene -> scene.stateful.end(null));
        often("snapshot", scene -> scene.snapshot = scene.sequence.snapshot());
        often("restore", scene -> scene.sequence.restore(scene.snapshot));
        restored("restore null", null);
        restored("restore nothing", Map.of());
        restored("restore a null state", Collections.singletonMap("state", null));
        restored("restore other rows", Map.of("state", tensor(2, 3)));
        restored("restore another rank", Map.of("state", tensor(3)));
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
                        .stateful(scene.state.from(tensor(2, 2)))
                        .begin()
                        .run(MisuseScene.STEP));
        add(
                "states of a huge zero",
                scene -> scene.adding.stateful(scene.state.ofZeros(1L << 40, 3)).begin());
        add(
                "fewer sequences than one",
                scene -> StateOptions.builder().maxSequences(0).build());
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

    private void generated(String name, long[] prompt, UnaryOperator<GenerationOptions.Builder> how) {
        add(
                name,
                scene -> scene.generator.run(
                        prompt,
                        how.apply(GenerationOptions.builder().maxTokens(3)).build()));
    }

    private void generations() {
        generated("generate", PROMPT, options -> options);
        generated("generate after null", null, options -> options);
        generated("generate after nothing", new long[0], options -> options);
        generated("generate after no word", new long[] {MisuseScene.WORDS}, options -> options);
        generated("generate after less than a word", new long[] {-1}, options -> options);
        add("generate with null", scene -> scene.generator.run(PROMPT, null));
        generated("generate nothing", PROMPT, options -> options.maxTokens(0));
        generated("generate at no temperature", PROMPT, options -> options.temperature(Double.NaN));
        generated(
                "generate in the cold",
                PROMPT,
                options -> options.temperature(Double.MIN_VALUE).seed(1));
        generated(
                "generate in the heat",
                PROMPT,
                options -> options.temperature(Double.MAX_VALUE).seed(1));
        generated(
                "generate the top of none",
                PROMPT,
                options -> options.topP(Double.MIN_VALUE).temperature(1));
        generated("generate the top of less", PROMPT, options -> options.topP(-1));
        generated("generate the first of none", PROMPT, options -> options.topK(0));
        generated(
                "generate the first of many",
                PROMPT,
                options -> options.topK(Integer.MAX_VALUE).temperature(1));
        generated("generate nothing again", PROMPT, options -> options.repetitionPenalty(Double.MIN_VALUE));
        generated("generate all again", PROMPT, options -> options.repetitionPenalty(Double.MAX_VALUE));
        generated("generate to null", PROMPT, options -> options.stopTokens((long[]) null));
        generated("generate to no word", PROMPT, options -> options.stopTokens(-1, Long.MAX_VALUE));
        generated("generate within no time", PROMPT, options -> options.timeLimit(Duration.ZERO));
        generated("generate within null", PROMPT, options -> options.timeLimit(null));
        generated("generate within a moment", PROMPT, options -> options.timeLimit(Duration.ofNanos(1)));
        generated("generate within ever", PROMPT, options -> options.timeLimit(Duration.ofSeconds(Long.MAX_VALUE)));
        generated("generate cancelled by null", PROMPT, options -> options.cancellation(null));
        add(
                "generate cancelled",
                scene -> scene.generator.run(
                        PROMPT,
                        GenerationOptions.builder()
                                .cancellation(scene.cancellation)
                                .build()));
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
                        .mono(PROMPT, GenerationOptions.builder().maxTokens(2).build())
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
