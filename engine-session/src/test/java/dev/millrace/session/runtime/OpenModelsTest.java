package dev.millrace.session.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.TestModels;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenModelsTest {
    private static final String SHARED = "share";
    private static final int MEMBERS = 4;

    private final Engine engine = Engine.create();

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void writeModel() throws IOException {
        file = folder.resolve("model.onnx");
        write(TestModels.perceptron(2, 64, 1));
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    /** Writes a model whose modification time is old enough to distinguish it from later versions. */
    private void write(byte[] model) throws IOException {
        Files.write(file, model);
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60 + model.length)));
    }

    private static final class Heard implements RunListener {
        private final List<String> runs = new ArrayList<>();

        @Override
        public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
            // the events of whole runs suffice
        }

        @Override
        public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
            runs.add(plan);
        }
    }

    private static boolean isShared(Session session) {
        return session.report().phases().containsKey(SHARED);
    }

    private static OpenModel model(Session session) {
        return OpenSession.of(session).model();
    }

    private static float[] run(Session session) {
        Tensor input = Tensor.copyOf(new float[64], 1, 64);
        try (Outputs outputs = session.run(Inputs.of(session.inputs().getFirst().name(), input))) {
            return outputs.get(0).floats();
        }
    }

    @Test
    void aSecondSessionOfAFileHasWhatTheFirstOnePrepared() {
        try (Session first = engine.session(file);
                Session second = engine.session(file)) {
            assertThat(isShared(first)).isFalse();
            assertThat(isShared(second)).isTrue();
            assertThat(model(second)).isSameAs(model(first));
            assertThat(run(second)).containsExactly(run(first));
            assertThat(second.report().partitions()).isEqualTo(first.report().partitions());
        }
    }

    @Test
    void sessionsCloseInAnyOrder() {
        Session first = engine.session(file);
        Session second = engine.session(file);
        float[] expected = run(first);
        first.close();
        assertThatThrownBy(() -> run(first)).isInstanceOf(EngineException.class);
        assertThat(run(second)).containsExactly(expected);
        try (Session third = engine.session(file)) {
            assertThat(isShared(third)).isTrue();
            second.close();
            assertThat(run(third)).containsExactly(expected);
        }
        try (Session fourth = engine.session(file)) {
            assertThat(isShared(fourth)).isFalse();
            assertThat(run(fourth)).containsExactly(expected);
        }
    }

    @Test
    void sessionsOutliveTheEngine() {
        Session first = engine.session(file);
        Session second = engine.session(file);
        engine.close();
        first.close();
        assertThat(run(second)).isNotEmpty();
        second.close();
        assertThatThrownBy(() -> engine.session(file)).isInstanceOf(EngineException.class);
    }

    @Test
    void namesListenersAndConcurrencyAreASessionsOwn() {
        var heard = new Heard();
        var own = SessionOptions.builder()
                .name("other")
                .concurrency(2)
                .queue(3)
                .listener(heard)
                .build();
        try (Session first = engine.session(file);
                Session second = engine.session(file, own)) {
            assertThat(isShared(second)).isTrue();
            assertThat(second.name()).isEqualTo("other");
            assertThat(second.concurrency()).isEqualTo(2);
            run(first);
            assertThat(heard.runs).isEmpty();
            run(second);
            assertThat(heard.runs).hasSize(1);
        }
    }

    @Test
    void otherOptionsMakeAnotherModel() {
        var plain = SessionOptions.builder().provider("cpu").build();
        try (Session first = engine.session(file);
                Session second = engine.session(file, plain);
                Session alone = engine.session(
                        file, SessionOptions.builder().alone(true).build())) {
            assertThat(isShared(second)).isFalse();
            assertThat(isShared(alone)).isFalse();
            assertThat(model(alone)).isNotSameAs(model(first));
        }
    }

    @Test
    void aFileThatHasChangedIsReadAgain() throws IOException {
        try (Session first = engine.session(file)) {
            write(TestModels.perceptron(2, 64, 2));
            try (Session second = engine.session(file)) {
                assertThat(isShared(second)).isFalse();
                assertThat(run(second)).isNotEqualTo(run(first));
            }
        }
    }

    @Test
    void aFileThatWasWrittenInPlaceUnderItsOldTimeIsReadAgain() throws IOException {
        FileTime time = Files.getLastModifiedTime(file);
        try (Session first = engine.session(
                file, SessionOptions.builder().fileUse(FileUse.READ).build())) {
            Files.write(file, TestModels.perceptron(2, 64, 2));
            Files.setLastModifiedTime(file, time);
            try (Session second = engine.session(
                    file, SessionOptions.builder().fileUse(FileUse.READ).build())) {
                assertThat(isShared(second)).isFalse();
                assertThat(run(second)).isNotEqualTo(run(first));
            }
        }
    }

    @Test
    void aFileThatWasJustWrittenIsTrustedByNobody() throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
        try (Session first = engine.session(file);
                Session second = engine.session(file)) {
            assertThat(isShared(first)).isFalse();
            assertThat(isShared(second)).isFalse();
        }
    }

    /**
     * Writes a model of one node with these weights in a file beside it, both old enough for sessions to share them.
     */
    private static void writeWithData(Path model, long seed) throws IOException {
        Files.createDirectories(model.getParent());
        Models.write(
                Models.read(MemorySegment.ofArray(TestModels.perceptron(2, 64, seed)), null),
                model,
                WriteOptions.externalData("weights.bin", 0));
        age(model);
        age(model.resolveSibling("weights.bin"));
    }

    private static void age(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH.plusSeconds(1_000_000)));
    }

    private float[] ofItsOwn(Path model) {
        try (Session alone =
                engine.session(model, SessionOptions.builder().alone(true).build())) {
            return run(alone);
        }
    }

    @Test
    void externalDataThatHasChangedIsReadAgain() throws IOException {
        Path model = folder.resolve("with/model.onnx");
        writeWithData(model, 1);
        try (Session first = engine.session(model);
                Session same = engine.session(model)) {
            assertThat(isShared(same)).isTrue();
            writeWithData(model.resolveSibling("other/model.onnx"), 2);
            Files.move(
                    model.resolveSibling("other/weights.bin"),
                    model.resolveSibling("weights.bin"),
                    StandardCopyOption.REPLACE_EXISTING);
            try (Session second = engine.session(model)) {
                assertThat(isShared(second)).isFalse();
                assertThat(run(second)).isNotEqualTo(run(first)).containsExactly(ofItsOwn(model));
            }
        }
    }

    @Test
    void externalDataThatWasJustWrittenIsTrustedByNobody() throws IOException {
        Path model = folder.resolve("with/model.onnx");
        writeWithData(model, 1);
        Files.setLastModifiedTime(model.resolveSibling("weights.bin"), FileTime.from(Instant.now()));
        try (Session first = engine.session(model);
                Session second = engine.session(model)) {
            assertThat(isShared(second)).isFalse();
            assertThat(run(second)).containsExactly(run(first));
        }
    }

    /** Two revisions share one graph file by links and have different weights, as in download caches. */
    @Test
    void linksToOneFileHaveTheDataThatLiesBesideEach() throws IOException {
        Path old = folder.resolve("old/model.onnx");
        Path now = folder.resolve("now/model.onnx");
        writeWithData(old, 1);
        writeWithData(now, 2);
        Path graph = Files.move(old, folder.resolve("blob"));
        Files.delete(now);
        Files.createSymbolicLink(old, graph);
        Files.createSymbolicLink(now, graph);
        try (Session first = engine.session(old);
                Session second = engine.session(now)) {
            assertThat(run(first)).containsExactly(ofItsOwn(old));
            assertThat(run(second)).isNotEqualTo(run(first)).containsExactly(ofItsOwn(now));
        }
    }

    @Test
    void aLinkToDataThatLeadsElsewhereIsFollowedAgain() throws IOException {
        Path model = folder.resolve("with/model.onnx");
        writeWithData(model, 1);
        writeWithData(model.resolveSibling("later/model.onnx"), 2);
        Path link = model.resolveSibling("weights.bin");
        Files.move(link, model.resolveSibling("earlier.bin"));
        Files.createSymbolicLink(link, Path.of("earlier.bin"));
        try (Session first = engine.session(model)) {
            Files.delete(link);
            Files.createSymbolicLink(link, Path.of("later/weights.bin"));
            try (Session second = engine.session(model)) {
                assertThat(run(second)).isNotEqualTo(run(first)).containsExactly(ofItsOwn(model));
            }
        }
    }

    @Test
    void generatorsOfRandomNumbersAreASessionsOwn() throws IOException {
        var editor = new GraphEditor(Graph.named("random"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(1), Dim.of(64))));
        NodeSpec random =
                NodeSpec.of(OpId.onnx("RandomUniformLike"), TestModels.OPSET, x).with("seed", new Attribute.Float(3));
        editor.addOutput("y", editor.append(random, List.of("y")).requireOutput(0));
        write(Models.toBytes(TestModels.model(editor.graph())));
        try (Session first = engine.session(file);
                Session second = engine.session(file)) {
            assertThat(isShared(second)).isFalse();
            assertThat(run(second)).containsExactly(run(first));
        }
    }

    @Test
    void sessionsThatAreMadeAtOncePrepareOnce() throws Exception {
        var making = new ArrayList<Callable<Session>>();
        for (int i = 0; i < MEMBERS; i++) {
            making.add(() -> engine.session(file));
        }
        try (var threads = Executors.newFixedThreadPool(MEMBERS)) {
            var sessions = new ArrayList<Session>();
            for (var each : threads.invokeAll(making)) {
                sessions.add(each.get());
            }
            assertThat(sessions.stream().filter(OpenModelsTest::isShared)).hasSize(MEMBERS - 1);
            sessions.forEach(Session::close);
        }
    }

    @Test
    void whoCannotBeMadeKeepsNobodyElseFromIt() throws IOException {
        write(new byte[] {1, 2, 3});
        assertThatThrownBy(() -> engine.session(file)).isInstanceOf(EngineException.class);
        assertThatThrownBy(() -> engine.session(file)).isInstanceOf(EngineException.class);
        write(TestModels.perceptron(2, 64, 1));
        try (Session session = engine.session(file)) {
            assertThat(run(session)).isNotEmpty();
        }
    }
}
