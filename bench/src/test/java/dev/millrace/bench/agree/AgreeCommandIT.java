package dev.millrace.bench.agree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.RootCommand;
import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command over small models, each with an end of its own. */
@Timeout(300)
@Tag("reference")
class AgreeCommandIT {
    private static final ValueType FLOATS =
            ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"), Dim.of(3)));

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int agree(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        String[] all = new String[arguments.length + 2];
        all[0] = "agree";
        all[1] = "--jobs=2";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        CommandLine line = RootCommand.line();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(all);
    }

    private String last() {
        return out.toString().lines().toList().getLast();
    }

    private Path write(String name, ReferenceModel model) throws IOException {
        return Files.write(folder.resolve(name), model.bytes());
    }

    private Path agreeing() throws IOException {
        var model = new ReferenceModel();
        model.output("y", model.node("Exp", model.input("x", FLOATS)));
        return write("agreeing.onnx", model);
    }

    private Path randomised() throws IOException {
        var model = new ReferenceModel();
        model.output("y", model.node("RandomNormalLike", model.input("x", FLOATS)));
        return write("random.onnx", model);
    }

    /** ONNX says that the places of a scalar have no coordinates; ONNX Runtime gives them one. */
    private Path differing() throws IOException {
        var model = new ReferenceModel();
        Value x = model.input("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of()));
        model.output("y", model.node("NonZero", x));
        return write("differing.onnx", model);
    }

    /** ONNX Runtime's own example of an operator. */
    /** Weights that were packed for a GPU are refused here; ONNX Runtime takes them for weights that were not. */
    private Path onlyThere() throws IOException {
        var model = new ReferenceModel();
        Value x = model.input("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(2), Dim.of(32))));
        Value weights = model.constant("weights", Tensor.allocate(ElementType.UINT8, Shape.of(16, 1, 16)));
        Value scales = model.constant("scales", Tensor.allocate(ElementType.FLOAT, Shape.of(16)));
        NodeSpec product = NodeSpec.of(new OpId(OpId.MICROSOFT, "MatMulNBits"), 1, x, weights, scales)
                .with("K", Attribute.of(32))
                .with("N", Attribute.of(16))
                .with("bits", Attribute.of(4))
                .with("block_size", Attribute.of(32))
                .with("weight_prepacked", Attribute.of(1));
        model.output("y", model.node(product));
        return write("only-there.onnx", model);
    }

    private Path onlyHere() throws IOException {
        var model = new ReferenceModel();
        Value x = model.input("x", ValueType.tensor(ElementType.INT16, SymbolicShape.of(Dim.of(4))));
        model.output("y", model.node("Max", x, x));
        return write("only-here.onnx", model);
    }

    private Path broken() throws IOException {
        byte[] bytes = Files.readAllBytes(agreeing());
        return Files.write(folder.resolve("broken.onnx"), Arrays.copyOf(bytes, bytes.length - 20));
    }

    /** Goes round for years. */
    private Path endless() throws IOException {
        var model = new ReferenceModel();
        Value x = model.input("x", FLOATS);
        Value rounds = model.constant("rounds", Tensor.scalar(Long.MAX_VALUE));
        Value go = model.constant("go", Tensor.scalar(true));
        Graph body = Graph.nested("body", x.graph());
        var editor = new GraphEditor(body);
        editor.addInput("round", ValueType.tensor(ElementType.INT64, SymbolicShape.of()));
        Value on = editor.addInput("on", ValueType.tensor(ElementType.BOOL, SymbolicShape.of()));
        Value carried = editor.addInput("carried", null);
        editor.addOutput("on_out", identity(editor, on, "on_out"));
        editor.addOutput("carried_out", identity(editor, carried, "carried_out"));
        Attributes attributes = Attributes.of("body", Attribute.of(body));
        model.output("y", model.node("Loop", attributes, rounds, go, x));
        return write("endless.onnx", model);
    }

    private static Value identity(GraphEditor editor, Value value, String name) {
        return editor.append(NodeSpec.of(OpId.onnx("Identity"), 21, value), List.of(name))
                .requireOutput(0);
    }

    @Test
    void aModelThatAgreesEndsWithZero() throws IOException {
        assertThat(agree(agreeing().toString())).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).contains("tolerances: float 1e-04").contains("agreeing.onnx: 3 runs");
        assertThat(last()).isEqualTo("1 agree, 0 differ, 0 only here, 0 only there, 0 refused by both, 0 crashed");
    }

    @Test
    void everyModelOfAFolderHasARowWhateverBecomesOfTheOthers() throws IOException {
        agreeing();
        differing();
        onlyThere();
        onlyHere();
        broken();
        randomised();
        endless();
        Path csv = folder.resolve("rows.csv");

        assertThat(agree(folder.toString(), "--timeout=8", "--csv=" + csv)).isEqualTo(ExitCode.NO);

        assertThat(last()).isEqualTo("2 agree, 1 differ, 1 only here, 1 only there, 1 refused by both, 1 crashed");
        assertThat(Files.readAllLines(csv))
                .satisfiesExactly(
                        row -> assertThat(row).isEqualTo("file,verdict,reason,worst"),
                        row -> assertThat(row).contains("agreeing.onnx,agree,3 runs,"),
                        row -> assertThat(row)
                                .contains("broken.onnx,refused by both,")
                                .contains("| ONNX Runtime: "),
                        row -> assertThat(row)
                                .contains("differing.onnx,differ,")
                                .contains("has shape [0, 1]"),
                        row -> assertThat(row).contains("endless.onnx,crashed here,\"cut off after 8 s, here"),
                        row -> assertThat(row)
                                .contains("only-here.onnx,only here,")
                                .contains("Max"),
                        row -> assertThat(row)
                                .contains("only-there.onnx,only there,")
                                .contains("weight_prepacked"),
                        row -> assertThat(row).contains("random.onnx,agree,\"by types and shapes only"));
    }

    @Test
    void verdictsAreTheSameEachTime() throws IOException {
        agreeing();
        differing();
        agree(folder.toString());
        String once = out.toString();
        agree(folder.toString());
        assertThat(out).hasToString(once);
        agree(folder.toString(), "--seed=2");
        assertThat(last()).isEqualTo(once.lines().toList().getLast());
    }

    @Test
    void whatIsKnownDoesNotFail() throws IOException {
        Path known = folder.resolve("known.txt");
        Files.writeString(known, "differing\\.onnx places of a scalar\n");
        assertThat(agree(differing().toString(), "--known=" + known)).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).contains("(known: places of a scalar)");
        assertThat(agree(differing().toString(), "--known=" + known, "--json")).isEqualTo(ExitCode.OK);
        assertThat(out.toString().lines())
                .singleElement()
                .asString()
                .contains("\"verdict\":\"differ\"", "\"known\":\"places of a scalar\"");
    }

    @Test
    void inputsThatLieBesideAModelAreUsed() throws IOException {
        Path one = Files.createDirectories(folder.resolve("case/test_data_set_0"));
        Files.copy(agreeing(), folder.resolve("case/model.onnx"));
        Files.write(one.resolve("input_0.pb"), Tensors.toBytes("x", Tensor.copyOf(new float[6], 2, 3)));

        assertThat(agree(folder.resolve("case").toString())).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).contains("4 runs");
    }

    @Test
    void aToleranceIsAnOption() throws IOException {
        assertThat(agree(agreeing().toString(), "--tolerance=float=0")).isIn(ExitCode.OK, ExitCode.NO);
        assertThat(out.toString()).doesNotContain("float 1e-04").contains("double 1e-06");
    }

    @Test
    void whatIsNoModelIsSaid() throws IOException {
        Path notes = Files.writeString(folder.resolve("notes.txt"), "These are notes.");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        refused(ExitCode.REFUSED, "notes.txt is no ONNX model", notes.toString());
        refused(ExitCode.REFUSED, "there is no .onnx file below", empty.toString());
        refused(
                ExitCode.REFUSED,
                "there is no model file or folder",
                folder.resolve("none.onnx").toString());
        String model = agreeing().toString();
        refused(ExitCode.REFUSED, "there is no file or folder", model, "--known=" + folder.resolve("none.txt"));
        refused(ExitCode.REFUSED, "unknown element type", model, "--tolerance=flaot=1");
        refused(ExitCode.USAGE, "no peer 'tract'", model, "--vs=tract");
        refused(ExitCode.USAGE, "--draws is 0", model, "--draws=0");
        refused(ExitCode.USAGE, "Missing required parameter");
    }

    private void refused(int code, String message, String... arguments) {
        assertThat(agree(arguments)).isEqualTo(code);
        assertThat(err.toString()).contains(message);
    }
}
