package dev.millrace.cli.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.ExitCode;
import dev.millrace.cli.Main;
import dev.millrace.codegen.testing.TestScale;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Dim;
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
import dev.millrace.providers.testkit.OwnJvm;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that are killed while they write compiled models, and that write the same at a time: what is there afterwards
 * is right, or refused. {@code -Dmillrace.test.kills} says how often.
 */
@EnabledOnOs(OS.LINUX)
@Tag("slow")
class ContextFaultsIT {
    private static final int KILLS = TestScale.count("millrace.test.kills", 5);
    private static final int WIDTH = 512;
    private static final int LAYERS = 6;
    private static final int WRITERS = 3;

    @TempDir
    private Path folder = Path.of("");

    private Path source = Path.of("");
    private Path target = Path.of("");
    private float[] expected = new float[0];

    @BeforeEach
    void write() {
        source = folder.resolve("net.onnx");
        target = folder.resolve("net_ctx.onnx");
        var editor = new GraphEditor(Graph.named("net"));
        var type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"), Dim.of(WIDTH)));
        Value value = editor.addInput("x", type);
        var random = new Random(1);
        for (int i = 0; i < LAYERS; i++) {
            Tensor weights = RandomTensors.uniform(random, -0.0625f, 0.0625f, WIDTH, WIDTH);
            Value w = editor.addConstant("w" + i, weights);
            value = editor.append(NodeSpec.of(OpId.onnx("MatMul"), 21, value, w), List.of("p" + i))
                    .requireOutput(0);
        }
        editor.addOutput("y", value);
        var header = new Model.Header(10, "test", "1", "", 1, "");
        Models.write(
                new Model(header, Map.of(OpId.ONNX, 21), Map.of(), Map.of(), editor.graph(), null),
                source,
                WriteOptions.inline());
        expected = answer(source, SessionOptions.defaults(), EngineOptions.defaults());
    }

    private static float[] answer(Path model, SessionOptions options, EngineOptions engineOptions) {
        float[] x = new float[WIDTH];
        Arrays.fill(x, 0.25f);
        try (Engine engine = Engine.create(engineOptions.toBuilder().threads(1).build());
                Session session = engine.session(model, options);
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(x, 1, WIDTH)))) {
            return outputs.get(0).floats();
        }
    }

    private static Process millrace(Object... arguments) throws IOException {
        return started(new OwnJvm(Main.class, arguments));
    }

    /** The command with no room for files of more than so many KiB, which is how a full disk looks to who writes. */
    private static Process withoutRoom(long kib, Object... arguments) throws IOException {
        return started(
                new OwnJvm(Main.class, arguments).startedBy("sh", "-c", "ulimit -f " + kib + " && exec \"$@\"", "sh"));
    }

    private static Process started(OwnJvm jvm) throws IOException {
        return jvm.builder()
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** How long the command takes when nobody kills it, in milliseconds. */
    private static long whole(Object... arguments) throws Exception {
        long start = System.nanoTime();
        assertThat(millrace(arguments).waitFor()).isZero();
        return (System.nanoTime() - start) / 1_000_000;
    }

    /** Runs the command and kills it (-9) somewhere in its later two thirds, where it compiles and writes. */
    private static void killed(Random random, long millis, Object... arguments) throws Exception {
        Process process = millrace(arguments);
        if (!process.waitFor(millis / 3 + random.nextLong(millis * 2 / 3), TimeUnit.MILLISECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    private void assertRightOrRefused() {
        if (Files.notExists(target)) {
            return;
        }
        var compiled = SessionOptions.builder().disableModelCompile(true).build();
        try {
            assertThat(answer(target, compiled, EngineOptions.defaults())).containsExactly(expected);
        } catch (EngineException e) {
            assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH);
        }
    }

    @Test
    void whoIsKilledWhileItCompilesLeavesWhatIsRightOrRefused() throws Exception {
        long millis = whole("compile", source);
        var random = new Random(1);
        for (int i = 0; i < KILLS; i++) {
            killed(random, millis, "compile", "--replace", source);
            assertRightOrRefused();
        }
        whole("compile", "--replace", source);
        assertThat(answer(target, SessionOptions.defaults(), EngineOptions.defaults()))
                .containsExactly(expected);
    }

    @Test
    void whoIsKilledWhileItFillsACacheLeavesOneThatWorks() throws Exception {
        Path first = folder.resolve("first");
        long millis = whole("run", "--context-cache", first, source, "--shape", "x=1," + WIDTH);
        var random = new Random(2);
        for (int i = 0; i < KILLS; i++) {
            Path cache = folder.resolve("cache" + i);
            killed(random, millis, "run", "--context-cache", cache, source, "--shape", "x=1," + WIDTH);
            var options =
                    EngineOptions.builder().contextCache(ContextCache.in(cache)).build();
            assertThat(answer(source, SessionOptions.defaults(), options)).containsExactly(expected);
            assertThat(ContextCache.in(cache).list())
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.trouble()).isEmpty());
        }
    }

    @Test
    void severalThatWriteTheSameAtATimeLeaveOneThatIsRight() throws Exception {
        var processes = new ArrayList<Process>();
        for (int i = 0; i < WRITERS; i++) {
            processes.add(millrace("compile", source));
        }
        int succeeded = 0;
        for (Process process : processes) {
            int code = process.waitFor();
            assertThat(code).isIn(ExitCode.OK, ExitCode.REFUSED);
            succeeded += code == ExitCode.OK ? 1 : 0;
        }
        assertThat(succeeded).isEqualTo(1);
        assertThat(answer(target, SessionOptions.defaults(), EngineOptions.defaults()))
                .containsExactly(expected);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void whereTheDiskIsFullNothingIsLeftBehind() throws Exception {
        // the last is room for the model, and not for its binary
        for (int kib : List.of(0, 64, 2048)) {
            assertThat(withoutRoom(kib, "compile", source).waitFor()).isEqualTo(ExitCode.REFUSED);
            assertThat(files()).containsExactly("net.onnx");
        }
        whole("compile", source);
        byte[] before = Files.readAllBytes(folder.resolve("net_simd.bin"));
        assertThat(withoutRoom(2048, "compile", "--replace", source).waitFor()).isEqualTo(ExitCode.REFUSED);
        assertThat(folder.resolve("net_simd.bin")).hasBinaryContent(before);
        assertRightOrRefused();
        assertThat(files()).containsExactlyInAnyOrder("net.onnx", "net_ctx.onnx", "net_simd.bin");
    }

    @Test
    void aCacheOnAFullDiskKeepsNobodyFromRunning() throws Exception {
        Path cache = folder.resolve("cache");
        Object[] run = {"run", "--context-cache", cache, source, "--shape", "x=1," + WIDTH};
        assertThat(withoutRoom(2048, run).waitFor()).isZero();
        assertThat(millrace(run).waitFor()).isZero();
        assertThat(ContextCache.in(cache).list())
                .singleElement()
                .satisfies(entry -> assertThat(entry.trouble()).isEmpty());
    }

    @Test
    void aFolderThatCannotBeWrittenToIsNamed() throws Exception {
        Path closed = Files.createDirectory(folder.resolve("closed"));
        assertThat(closed.toFile().setWritable(false)).isTrue();
        try {
            if (Files.isWritable(closed)) {
                Assumptions.abort("this user may write to any folder");
            }
            var options = SessionOptions.builder()
                    .config("ep.context_enable", "1")
                    .config("ep.context_file_path", closed.resolve("a.onnx").toString())
                    .build();
            assertThatThrownBy(() -> answer(source, options, EngineOptions.defaults()))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("closed");
        } finally {
            assertThat(closed.toFile().setWritable(true)).isTrue();
        }
    }
}
