package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.cache.ContextCache;
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
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands that make compiled models and look at them. */
class ContextCommandTest {
    private static final int WIDTH = 160;

    @TempDir
    private Path folder = Path.of("");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void write() {
        model("a", 1);
        model("b", 2);
    }

    /** y = relu(relu(x W) W) …, with one W in all models. */
    private void model(String name, int layers) {
        var editor = new GraphEditor(Graph.named(name));
        var type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"), Dim.of(WIDTH)));
        float[] weights = new float[WIDTH * WIDTH];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = i % 7 - 3;
        }
        Value value = editor.addInput("x", type);
        for (int i = 0; i < layers; i++) {
            Value w = editor.addConstant("w" + i, Tensor.copyOf(weights, WIDTH, WIDTH));
            value = editor.append(NodeSpec.of(OpId.onnx("MatMul"), 21, value, w), List.of("p" + i))
                    .requireOutput(0);
            value = editor.append(NodeSpec.of(OpId.onnx("Relu"), 21, value), List.of("r" + i))
                    .requireOutput(0);
        }
        editor.addOutput("y", value);
        var header = new Model.Header(10, "test", "1", "", 1, "");
        Models.write(
                new Model(header, Map.of(OpId.ONNX, 21), Map.of(), Map.of(), editor.graph(), null),
                file(name + ".onnx"),
                WriteOptions.inline());
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    private int millrace(Object... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine line = RootCommand.line();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    }

    private void assertLoads(Path model) {
        var options = SessionOptions.builder().disableModelCompile(true).build();
        try (Engine engine = Engine.create()) {
            engine.session(model, options).close();
        }
    }

    @Test
    void aModelIsCompiledBesideItsSource() {
        assertThat(millrace("compile", file("a.onnx"))).as(err.toString()).isZero();
        assertThat(out.toString()).contains("compiled", "a_ctx.onnx");
        assertLoads(file("a_ctx.onnx"));
        assertThat(millrace("compile", file("a.onnx"))).isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString()).contains("exists already", "--replace");
        assertThat(millrace("compile", "--replace", "--embed", file("a.onnx"))).isZero();
        assertThat(millrace("ctx-info", file("a_ctx.onnx"))).isZero();
        assertThat(out.toString()).contains("holds a binary", "binary  in a_simd_1");
    }

    @Test
    void weightsStayInTheSourceAndItIsShown() {
        assertThat(millrace("compile", "--weightless", "ALL", file("a.onnx")))
                .as(err.toString())
                .isZero();
        assertThat(file("a_simd.bin").toFile().length()).isLessThan(WIDTH * WIDTH);
        assertThat(millrace("ctx-info", "--html", file("a.html"), file("a_ctx.onnx")))
                .isZero();
        assertThat(out.toString()).contains("weights ALL", "in the source: initializer 'w0'");
        assertThat(file("a.html")).content().contains("initializer 'w0'");
        assertThat(millrace("ctx-info", "--json", file("a_ctx.onnx"))).isZero();
        assertThat(out.toString()).contains("\"weightless\":\"ALL\"", "\"initializer\":\"w0\"");
        assertLoads(file("a_ctx.onnx"));

        assertThat(file("a.onnx").toFile().renameTo(file("c.onnx").toFile())).isTrue();
        assertThat(millrace("run", file("a_ctx.onnx"))).isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString()).contains("a.onnx");
        assertThat(millrace("run", "--source-model", file("c.onnx"), file("a_ctx.onnx")))
                .as(err.toString())
                .isZero();
    }

    @Test
    void whereNothingMayBeCompiledThatIsSaid() {
        assertThat(millrace("compile", "--must-compile", "--provider", "cpu", file("a.onnx")))
                .isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString()).contains("Unable to compile any nodes");
    }

    @Test
    void modelsAreCompiledIntoOneBinary() {
        assertThat(millrace("ctx-gen", "-e", "simd", "-i", "strict|true", file("a.onnx") + ",file:" + file("b.onnx")))
                .as(err.toString())
                .isZero();
        assertThat(folder.toFile().list())
                .containsExactlyInAnyOrder("a.onnx", "b.onnx", "a_ctx.onnx", "b_ctx.onnx", "a_simd.bin");
        assertLoads(file("b_ctx.onnx"));

        assertThat(millrace("ctx-info", "file:" + file("b_ctx.onnx"))).isZero();
        assertThat(out.toString()).contains("names a_simd.bin", "shared by 2 graphs", "OPTIMAL");
    }

    @Test
    void anOptionOfAProviderHasAValue() {
        assertThat(millrace("ctx-gen", "-i", "strict", file("a.onnx"))).isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString()).contains("name|value");
    }

    @Test
    void aModelThatFailsLeavesNoneOfTheOthers() throws IOException {
        Files.write(file("c.onnx"), new byte[] {9, 9, 9});
        assertThat(millrace("ctx-gen", file("a.onnx") + "," + file("c.onnx"))).isEqualTo(ExitCode.REFUSED);
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("a.onnx", "b.onnx", "c.onnx");
    }

    @Test
    void whatACompiledModelHoldsIsShown() throws IOException {
        millrace("compile", file("a.onnx"));
        assertThat(millrace("ctx-info", "--source", file("a.onnx"), file("a_ctx.onnx")))
                .isZero();
        assertThat(out.toString()).contains("node    a_simd_1 of simd", "a_simd.bin", "segment 0", "made from");
        assertThat(millrace("ctx-info", "--source", file("b.onnx"), file("a_ctx.onnx")))
                .isEqualTo(ExitCode.NO);
        assertThat(out.toString()).contains("not made from");

        assertThat(millrace("ctx-info", "--json", file("a_ctx.onnx"))).isZero();
        assertThat(out.toString()).startsWith("{").contains("\"partition\":\"a_simd_1\"", "\"verdict\":\"OPTIMAL\"");
        assertThat(millrace("ctx-info", "--html", file("a.html"), file("a_ctx.onnx")))
                .isZero();
        assertThat(file("a.html")).content().contains("a_simd_1", "class=\"used\"", "</html>");
    }

    @Test
    void whatIsPrintedAsJsonIsNothingElse() {
        millrace("compile", file("a.onnx"));
        for (String each : List.of("a", "b")) {
            int code = millrace(
                    "ctx-info",
                    "--json",
                    "--html",
                    file("a.html"),
                    "--source",
                    file(each + ".onnx"),
                    file("a_ctx.onnx"));
            assertThat(code).isEqualTo(each.equals("a") ? ExitCode.OK : ExitCode.NO);
            assertThat(out.toString().strip()).startsWith("{").endsWith("\"madeFromSource\":" + each.equals("a") + "}");
        }
        assertThat(file("a.html")).content().contains("</html>");
    }

    @Test
    void aModelThatIsNotCompiledIsCalledThat() {
        assertThat(millrace("ctx-info", file("a.onnx"))).isZero();
        assertThat(out.toString()).contains("nothing of it is compiled");
    }

    @Test
    void aBinaryThatIsMissingOrDamagedIsTold() throws IOException {
        millrace("compile", file("a.onnx"));
        byte[] bytes = Files.readAllBytes(file("a_simd.bin"));
        bytes[bytes.length - 1] ^= 1;
        Files.write(file("a_simd.bin"), bytes);
        assertThat(millrace("ctx-info", file("a_ctx.onnx"))).isEqualTo(ExitCode.NO);
        assertThat(out.toString()).contains("UNUSABLE", "damaged");
        Files.delete(file("a_simd.bin"));
        assertThat(millrace("ctx-info", file("a_ctx.onnx"))).isEqualTo(ExitCode.NO);
        assertThat(out.toString()).contains("does not exist");
    }

    @Test
    void aCacheIsListedVerifiedAndPruned() throws IOException {
        Path cache = file("cache");
        fill(cache);
        assertThat(millrace("cache", "list", cache)).isZero();
        assertThat(out.toString()).contains("a.onnx", "b.onnx");
        assertThat(millrace("cache", "verify", cache)).isZero();
        assertThat(out.toString()).isEmpty();

        Path entry = ContextCache.in(cache).list().getFirst().folder();
        Files.writeString(entry.resolve("model_simd.bin"), "damaged");
        assertThat(millrace("cache", "verify", cache)).isEqualTo(ExitCode.NO);
        assertThat(out.toString()).contains(String.valueOf(entry.getFileName()));
        assertThat(millrace("cache", "prune", cache)).isZero();
        assertThat(out.toString()).contains("1 taken away");
        assertThat(millrace("cache", "verify", cache)).isZero();
        assertThat(millrace("cache", "prune", "--max-mb", "0", cache)).isZero();
        assertThat(out.toString()).contains("1 taken away");
        assertThat(ContextCache.in(cache).bytes()).isZero();
    }

    @Test
    void whatIsToBeKeptIsACountOfBytes() {
        Path cache = file("cache");
        fill(cache);
        assertThat(millrace("cache", "prune", "--max-mb", "-1", cache)).isEqualTo(ExitCode.USAGE);
        assertThat(millrace("cache", "prune", "--max-mb", Long.toString(Long.MAX_VALUE), cache))
                .isZero();
        assertThat(out.toString()).contains("0 taken away");
    }

    @Test
    void aFileIsNoCache() {
        for (String command : List.of("list", "verify", "prune")) {
            assertThat(millrace("cache", command, file("a.onnx"))).isEqualTo(ExitCode.REFUSED);
            assertThat(err.toString()).contains("a.onnx");
        }
    }

    @Test
    void aCacheThatIsNotThereIsAMistake() {
        for (String command : List.of("list", "verify", "prune")) {
            assertThat(millrace("cache", command, file("none"))).isEqualTo(ExitCode.REFUSED);
            assertThat(err.toString()).contains("there is no cache " + file("none"));
            assertThat(file("none")).doesNotExist();
        }
    }

    @Test
    void aCacheThatOthersMayWriteIsNotLookedInto() throws IOException {
        Path cache = file("cache");
        fill(cache);
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
        for (String command : List.of("list", "verify", "prune")) {
            assertThat(millrace("cache", command, cache)).isEqualTo(ExitCode.REFUSED);
            assertThat(err.toString()).contains("others may write it; chmod 700");
        }
    }

    private void fill(Path cache) {
        try (Engine engine = Engine.create(
                EngineOptions.builder().contextCache(ContextCache.in(cache)).build())) {
            engine.session(file("a.onnx")).close();
            engine.session(file("b.onnx")).close();
        }
    }

    @Test
    void aCacheWithoutACommandIsAMistake() {
        assertThat(millrace("cache")).isEqualTo(ExitCode.USAGE);
    }
}
