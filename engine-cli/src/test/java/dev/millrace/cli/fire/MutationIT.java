package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.codegen.testing.TestScale;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Function;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of damaged and hostile models: each gives a session or an {@link EngineException} with a message, within
 * seconds, in the heap that the build gives tests.
 */
@Tag("fuzz")
@Tag("slow")
class MutationIT {
    private static final int MUTATIONS = 2_000;
    private static final int SECONDS = 5;
    private static final Path SHARED_MODEL =
            Path.of("..", "..", "shared", "onnx-data", "light", "light_squeezenet", "model.onnx");

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private static Path realModel() {
        try {
            return ModelArgument.of("blazeface").file();
        } catch (EngineException e) {
            assumeTrue(Files.exists(SHARED_MODEL), () -> "no model can be fetched here: " + e.getMessage());
            return SHARED_MODEL;
        }
    }

    @Test
    void mutationsOfARealModelAreRefusedOrRun() throws Exception {
        Path file = realModel();
        byte[] original = Files.readAllBytes(file);
        var random = new Random(42);
        int refused = 0;
        int ran = 0;
        long slowest = 0;
        int mutations = TestScale.share(MUTATIONS);
        for (int i = 0; i < mutations; i++) {
            byte[] mutated = mutate(original, random, i);
            long start = System.nanoTime();
            String outcome = outcome("mutation " + i, () -> createAndRun(mutated));
            slowest = Math.max(slowest, System.nanoTime() - start);
            if (outcome.isEmpty()) {
                ran++;
            } else {
                refused++;
            }
        }
        System.out.printf(
                "%d mutations of %s: %d refused, %d run, the slowest took %d ms%n",
                mutations, file.getFileName(), refused, ran, slowest / 1_000_000);
        assertThat(refused).isPositive();
        assertThat(ran).isPositive();
    }

    private static byte[] mutate(byte[] original, Random random, int number) {
        byte[] bytes = original.clone();
        // most of a model is weights: half of the changes go where the structure is
        int structure = Math.min(bytes.length, 40_000);
        return switch (number % 5) {
            case 0 -> Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 1 -> {
                for (int i = 0; i < 1 + random.nextInt(8); i++) {
                    int at = random.nextBoolean() ? random.nextInt(structure) : random.nextInt(bytes.length);
                    bytes[at] ^= (byte) (1 << random.nextInt(8));
                }
                yield bytes;
            }
            case 2 -> {
                int at = random.nextInt(structure);
                for (int i = at; i < Math.min(bytes.length, at + 9); i++) {
                    bytes[i] = (byte) 0xff;
                }
                yield bytes;
            }
            case 3 -> {
                int at = bytes.length - 1 - random.nextInt(structure);
                int length = Math.min(bytes.length - at, 1 + random.nextInt(40));
                byte[] noise = new byte[length];
                random.nextBytes(noise);
                System.arraycopy(noise, 0, bytes, at, length);
                yield bytes;
            }
            default -> {
                int from = random.nextInt(structure);
                int to = random.nextInt(structure);
                int length = Math.min(random.nextInt(2000), bytes.length - Math.max(from, to));
                System.arraycopy(original, from, bytes, to, length);
                yield bytes;
            }
        };
    }

    /** An attempt to use a model; it throws the engine's exceptions. */
    private interface Attempt {
        void go();
    }

    private void createAndRun(byte[] model) {
        var cancellation = new Cancellation();
        try (Session session = engine.session(
                model, SessionOptions.builder().cancellation(cancellation).build())) {
            Inputs inputs = new InputMaker(null, Map.of(), 1).make(session.inputs());
            session.run(inputs, RunOptions.builder().cancellation(cancellation).build())
                    .close();
        }
    }

    /** Returns the message of the refusal, empty if there was none. Anything else fails the test. */
    private static String outcome(String what, Attempt attempt) throws InterruptedException {
        var task = new FutureTask<Void>(attempt::go, null);
        Thread thread = Thread.ofPlatform().daemon(true).start(task);
        try {
            task.get(SECONDS, TimeUnit.SECONDS);
            return "";
        } catch (TimeoutException e) {
            var hanging = new AssertionError(what + " takes more than " + SECONDS + " s");
            hanging.setStackTrace(thread.getStackTrace());
            throw hanging;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof EngineException refused) {
                assertThat(refused.getMessage()).as(what).hasSizeGreaterThan(10);
                return refused.status() + ": " + refused.getMessage();
            }
            throw new AssertionError(what + " gives " + e.getCause(), e.getCause());
        }
    }

    private static Model model(Graph graph, Map<Function.Id, Function> functions) {
        return new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, 21, "own", 1),
                Map.of(),
                functions,
                graph,
                null);
    }

    @Test
    void externalDataOutsideTheFolderIsRefused(@TempDir Path folder) throws Exception {
        var editor = new GraphEditor(Graph.named("external"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(64))));
        Value w = editor.addConstant("w", Tensor.copyOf(new float[64], 64));
        editor.addOutput(
                "y",
                editor.append(NodeSpec.of(OpId.onnx("Add"), 21, x, w), List.of("y"))
                        .requireOutput(0));
        Path file = folder.resolve("model.onnx");
        Models.write(model(editor.graph(), Map.of()), file, WriteOptions.externalData("weights.bin", 0));
        assertThat(outcome("as written", () -> engine.session(file).close())).isEmpty();

        byte[] bytes = Files.readAllBytes(file);
        for (String location : new String[] {"/etc/passwd", "../weights1", "a/../../b.c", "none_there1"}) {
            Path other = Files.write(folder.resolve("other.onnx"), replaced(bytes, "weights.bin", location));
            assertThat(outcome(location, () -> engine.session(other).close())).contains(location);
        }
        Path outside = Files.write(Files.createTempFile("outside", ".bin"), new byte[1024]);
        try {
            Files.delete(folder.resolve("weights.bin"));
            Files.createSymbolicLink(folder.resolve("weights.bin"), outside);
            assertThat(outcome("a link", () -> engine.session(file).close())).contains("escapes");
        } finally {
            Files.delete(outside);
        }
    }

    private static byte[] replaced(byte[] bytes, String from, String to) {
        assertThat(to).hasSameSizeAs(from);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        assertThat(text).contains(from);
        return text.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void functionsThatCallThemselvesAreRefused() throws Exception {
        String[][][] circles = {{{"Self", "Self"}}, {{"Ping", "Pong"}, {"Pong", "Ping"}}};
        for (String[][] circle : circles) {
            var functions = new LinkedHashMap<Function.Id, Function>();
            for (String[] pair : circle) {
                var body = new GraphEditor(Graph.named(pair[0]));
                Value in = body.addInput("in", null);
                body.addOutput(
                        "out",
                        body.append(NodeSpec.of(new OpId("own", pair[1]), 1, in), List.of("out"))
                                .requireOutput(0));
                var id = new Function.Id(new OpId("own", pair[0]), "");
                functions.put(id, new Function(id, List.of(), Attributes.NONE, Map.of("own", 1), body.graph()));
            }
            String called = circle[0][0];
            var editor = new GraphEditor(Graph.named("calls"));
            Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(1))));
            editor.addOutput(
                    "y",
                    editor.append(NodeSpec.of(new OpId("own", called), 1, x), List.of("y"))
                            .requireOutput(0));
            byte[] bytes = Models.toBytes(model(editor.graph(), functions));
            assertThat(outcome(called, () -> createAndRun(bytes)))
                    .contains(called)
                    .startsWith(Status.INVALID_GRAPH.name());
        }
    }

    @Test
    void aGraphTenThousandNodesDeepRuns() throws Exception {
        for (String[] operators : new String[][] {{"Relu"}, {"Relu", "Sigmoid", "Neg"}, {"Softmax"}}) {
            var editor = new GraphEditor(Graph.named("deep"));
            Value value = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(4))));
            for (int i = 0; i < 10_000; i++) {
                NodeSpec spec = NodeSpec.of(OpId.onnx(operators[i % operators.length]), 21, value);
                value = editor.append(spec, List.of("v" + i)).requireOutput(0);
            }
            editor.addOutput("y", value);
            byte[] bytes = Models.toBytes(model(editor.graph(), Map.of()));
            assertThat(outcome("depth of " + operators[0], () -> createAndRun(bytes)))
                    .isEmpty();
        }
    }

    @Test
    void aTensorThatClaimsMoreThanTheFileHoldsIsRefused() {
        var editor = new GraphEditor(Graph.named("claims"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(1))));
        var attributes = new ArrayList<Long>(List.of(1L << 40, 1L << 20));
        Value shape = editor.addConstant(
                "shape",
                Tensor.copyOf(attributes.stream().mapToLong(Long::longValue).toArray(), 2));
        Value filled = editor.append(NodeSpec.of(OpId.onnx("ConstantOfShape"), 21, shape), List.of("filled"))
                .requireOutput(0);
        editor.addOutput(
                "y",
                editor.append(NodeSpec.of(OpId.onnx("Add"), 21, x, filled), List.of("y"))
                        .requireOutput(0));
        byte[] bytes = Models.toBytes(model(editor.graph(), Map.of()));
        assertThatThrownBy(() -> createAndRun(bytes)).isInstanceOf(EngineException.class);
    }

    @Test
    void anEmptyFileIsRefused(@TempDir Path folder) throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.onnx"));
        assertThatThrownBy(() -> engine.session(empty)).isInstanceOf(EngineException.class);
    }
}
