package dev.millrace.cli.fire;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.ModelInput;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.SessionOptions;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** Calls of engines and sessions, and of what a run is told and answers. */
@SuppressWarnings({"NullAway", "DataFlowIssue"}) // nulls are what is tried
final class SessionCalls extends MisuseCalls {
    private static final Path NOWHERE = Path.of("nowhere", "model.onnx");
    private static final Shape HUGE = Shape.of(1L << 40, 12);

    SessionCalls() {
        endings();
        runs();
        runOptions();
        outputs();
        preparations();
        engines();
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

    private void how(String name, BiConsumer<MisuseScene, RunOptions.Builder> how) {
        add(name, scene -> {
            RunOptions.Builder options = RunOptions.builder();
            how.accept(scene, options);
            scene.run(options.build()).get(0).floats();
        });
    }

    private void runOptions() {
        how("return nobody", (_, options) -> options.outputs("nobody"));
        how("return null", (_, options) -> options.outputs((String) null));
        how("return no names", (_, options) -> options.outputs((String[]) null));
        how("return twice", (scene, options) -> options.outputs(scene.output(), scene.output()));
        how("cancelled by null", (_, options) -> options.cancellation(null));
        how("heard by null", (_, options) -> options.listener(null));
        how("no deadline", (_, options) -> options.deadline(null));
        how("within the past", (_, options) -> options.within(Duration.ofSeconds(-5)));
        how("within null", (_, options) -> options.within(null));
        how("within ever", (_, options) -> options.within(Duration.ofSeconds(Long.MAX_VALUE)));
        how("the last of all", (_, options) -> options.priority(Integer.MIN_VALUE));
        how("into null", (scene, options) -> options.into(scene.output(), null));
        how("into a null name", (_, options) -> options.into(null, tensor(2, 7)));
        how("into nobody's", (_, options) -> options.into("nobody", tensor(2, 7)));
        how("into a tensor", (scene, options) -> options.into(scene.output(), tensor(2, 7)));
        how("into another shape", (scene, options) -> options.into(scene.output(), tensor(7, 2)));
        how("into more", (scene, options) -> options.into(scene.output(), tensor(3, 7)));
        how(
                "into what is not returned",
                (scene, options) -> options.into(scene.output(), tensor(2, 7)).outputs("nobody"));
        how(
                "into another type",
                (scene, options) -> options.into(scene.output(), Tensor.allocate(ElementType.INT64, Shape.of(2, 7))));
        how("into what is closed", (scene, options) -> {
            Tensor closed = tensor(2, 7);
            closed.close();
            options.into(scene.output(), closed);
        });
        how(
                "into what cannot be written",
                (scene, options) -> options.into(
                        scene.output(),
                        Tensor.wrap(
                                ElementType.FLOAT,
                                Shape.of(2, 7),
                                tensor(2, 7).segment().asReadOnly())));
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
                scene -> Engine.create(EngineOptions.builder().threads(0).build())
                        .close());
        add(
                "fewer threads than none",
                scene -> Engine.create(EngineOptions.builder().threads(-1).build())
                        .close());
        add("null options of an engine", scene -> Engine.create(null).close());
        add(
                "null providers",
                scene -> Engine.create(EngineOptions.builder().providers(null).build())
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
        EngineOptions options =
                EngineOptions.builder().threads(1).memoryBudget(budget).build();
        try (var engine = Engine.create(options);
                var session = engine.session(MisuseScene.MODEL, SessionOptions.defaults())) {
            session.run(MisuseScene.INPUTS).close();
        }
    }
}
