package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

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
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectTest {
    private static final ValueType THREE = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(3)));

    @TempDir
    private Path folder = Path.of("");

    /** Two scopes that are alike, and a condition. */
    private Path model() {
        return Command.model(folder.resolve("scopes.onnx"), editor -> {
            Value x = editor.addInput("x", THREE);
            Value weight = editor.addConstant("weight", Tensor.copyOf(new float[] {1, 2, 3}, 3));
            Value y = x;
            for (int layer = 0; layer < 2; layer++) {
                String scope = "/layer." + layer + "/";
                y = append(editor, scope + "Mul", "Mul", y, weight);
                y = append(editor, scope + "</script>", "Relu", y);
            }
            Value truth = editor.addInput("c", ValueType.tensor(ElementType.BOOL, SymbolicShape.of()));
            Attributes branches = Attributes.of(Map.of(
                    "then_branch", new Attribute.GraphValue(branch("then", "Neg", y)),
                    "else_branch", new Attribute.GraphValue(branch("else", "Abs", y))));
            Value chosen = editor.append(NodeSpec.of(OpId.onnx("If"), 21, truth).with(branches), List.of("chosen"))
                    .requireOutput(0);
            editor.addOutput("chosen", chosen);
        });
    }

    private static Value append(GraphEditor editor, String name, String operator, Value... inputs) {
        return editor.append(NodeSpec.of(OpId.onnx(operator), 21, inputs).named(name), List.of(name + "_0"))
                .requireOutput(0);
    }

    private static Graph branch(String name, String operator, Value captured) {
        var editor = new GraphEditor(Graph.named(name));
        editor.addOutput(name + "_y", append(editor, name + "_node", operator, captured));
        return editor.graph();
    }

    @Test
    void whatTheFileSaysIsPrinted() {
        assertThat(millrace("inspect", model()).out())
                .contains("scopes.onnx, ")
                .contains("metadata licence: free")
                .contains("7 nodes, 1 initializers, 3 parameters, 12 B")
                .contains("    2 Mul");
    }

    @Test
    void aLineBreakInANameForgesNoLine() {
        Path forged = Command.model(folder.resolve("forged.onnx"), editor -> {
            Value x = editor.addInput("x\nINJECTED log line", THREE);
            editor.addOutput("y\r\nINJECTED result: 1", append(editor, "node\nINJECTED", "Relu", x));
        });

        for (Command said : List.of(
                millrace("inspect", "--program", forged),
                millrace("run", "--random", "1", forged),
                millrace("run", "--profile", "--random", "1", forged),
                millrace("run", "-i", "z=1", forged))) {
            assertThat((said.out() + said.err()).lines())
                    .noneMatch(line -> line.startsWith("INJECTED"))
                    .anyMatch(line -> line.contains("\\nINJECTED"));
        }
    }

    @Test
    void allOfItIsOneJsonObject() {
        String json = millrace("inspect", model(), "--json").out();
        assertThat(json.lines()).hasSize(1);
        assertThat(json)
                .contains("\"opsets\":{\"ai.onnx\":21}")
                .contains("\"metadata\":{\"licence\":\"free\"}")
                .contains("\"inputs\":[{\"name\":\"x\",\"type\":\"float[3]\",\"optional\":false}")
                .contains("\"operators\":{\"Mul\":2,\"Relu\":2,")
                .contains("\"parameters\":3")
                .contains("\"partitions\":[{")
                .contains("\"kernels\":[{")
                .contains("\"blockBytes\":")
                .contains("\"timeline\":{\"micros\":", "\"rows\":[\"host\"],\"bars\":[{\"row\":\"host\"");
        assertThat(millrace("inspect", model(), "--json", "--no-run").out())
                .doesNotContain("\"kernels\"", "\"timeline\"");
    }

    @Test
    void thePageHoldsTheGraphAndAsksNobody() throws IOException {
        Path page = folder.resolve("page.html");
        assertThat(millrace("inspect", model(), "--html", page).code()).isZero();
        assertThat(Files.readString(page))
                .contains("/layer.1/Mul")
                .contains("then_branch")
                .contains("\\u003c/script>")
                .doesNotContain("src=", "href=", "/*DATA*/", "/*PAGE*/", "/*LAYOUT*/", "/*STYLE*/");
    }

    @Test
    void aBrowserDrawsThePage() throws Exception {
        Path browser = Stream.of(
                        System.getenv("CHROMIUM"),
                        "/usr/bin/chromium",
                        "/usr/bin/chromium-browser",
                        "/usr/bin/google-chrome")
                .filter(Objects::nonNull)
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeThat(browser).as("there is no Chromium to draw the page").isNotNull();
        Path page = folder.resolve("page.html");
        millrace("inspect", model(), "--html", page);
        String drawn = drawn(String.valueOf(browser), page.toUri() + "#node=then_node");
        String picture = drawn.substring(drawn.indexOf("<svg"), drawn.indexOf("</svg>"));
        // both layers, the branch that was asked for with its node, inputs and the output
        assertThat(picture).contains("layer.0", "layer.1", "then_branch", "Neg", "float[3]", "chosen");
        assertThat(picture).containsPattern("<path d=\"M[-0-9]+ [-0-9]+");
        assertThat(drawn.substring(drawn.indexOf("<aside"))).contains("Neg  then_node");
        String timeline = drawn(String.valueOf(browser), page.toUri() + "#tab=Timeline");
        assertThat(timeline.substring(timeline.indexOf("class=\"timeline\"")))
                .containsPattern("<rect x=\"[0-9.]+\" y=\"[0-9.]+\" width=")
                .contains(">host</text>");
    }

    /** The page as a browser has drawn it. */
    private String drawn(String browser, String address) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        browser,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + folder.resolve("profile"),
                        "--window-size=1200,800",
                        "--dump-dom",
                        address)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String page = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return page;
    }

    @Test
    void aNameThatNobodyKnowsIsToldSo() {
        Command ran = millrace("run", "minilmm");
        assertThat(ran.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(ran.err()).contains("there is no model file").contains("'millrace models' lists no 'minilmm'");
    }
}
