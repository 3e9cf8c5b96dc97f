package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Inputs of {@code millrace run}: values that are typed, and shapes that follow from them. */
class RunInputsTest {
    private static final ValueType SEQUENCE =
            ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"), Dim.symbol("sequence")));

    @TempDir
    private Path folder = Path.of("");

    private static void output(GraphEditor editor, String name, String operator, Value... inputs) {
        editor.addOutput(
                name,
                editor.append(NodeSpec.of(OpId.onnx(operator), 21, inputs), List.of(name))
                        .requireOutput(0));
    }

    private Path same(ElementType type, Dim... dims) {
        return Command.model(folder.resolve("same.onnx"), editor -> {
            Value x = editor.addInput("x", ValueType.tensor(type, SymbolicShape.of(dims)));
            output(editor, "y", "Identity", x);
        });
    }

    private static void prints(String expected, Path model, String input) {
        Command ran = millrace("run", model, "-i", input);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).startsWith("y: " + expected);
    }

    @Test
    void valuesTakeTheTypeAndTheShapeOfTheInput() {
        prints("int64[] 16000", same(ElementType.INT64), "x=16000");
        prints("int64[1] 16000", same(ElementType.INT64, Dim.of(1)), "x=16000");
        prints("float[1, 3] 0.5 -1.0 200.0", same(ElementType.FLOAT, Dim.symbol("n"), Dim.of(3)), "x=0.5,-1,2e2");
        prints(
                "float[2, 2] 1.0 2.0 3.0 4.0",
                same(ElementType.FLOAT, Dim.symbol("n"), Dim.symbol("m")),
                "[[1,2],[3,4]]");
        prints("uint8[2] 0 255", same(ElementType.UINT8, Dim.symbol("n")), "x=[0,255]");
        prints("uint64[1] 18446744073709551615", same(ElementType.UINT64, Dim.symbol("n")), "x=18446744073709551615");
        prints("bool[2] true false", same(ElementType.BOOL, Dim.symbol("n")), "x=true,0");
        prints("string[] \"a, b\"", same(ElementType.STRING), "x=a, b");
        prints("string[2] \"a\" \"b\"", same(ElementType.STRING, Dim.symbol("n")), "x=[\"a\",\"b\"]");
        prints("float[2] Infinity NaN", same(ElementType.FLOAT, Dim.symbol("n")), "x=[Infinity, NaN]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        INT64 | 1.5           | is no whole number
        INT64 | one           | is no whole number
        UINT8 | 256           | is out of the range of uint8
        INT8  | -129          | is out of the range of int8
        FLOAT | one           | is no number
        BOOL  | yes           | is neither true nor false
        FLOAT | [1,[2]]       | lists and values stand side by side
        FLOAT | [[1],2]       | lists and values stand side by side
        FLOAT | [[1,2],[3]]   | of different lengths, 2 and 1
        FLOAT | [1,2          | it is no nested list
        FLOAT | [1] 2         | something stands behind its last bracket
        FLOAT | [null]        | more than lists, numbers and texts
        """)
    void valuesThatDoNotFitAreRefusedByName(ElementType type, String value, String why) {
        Command ran = millrace("run", same(type, Dim.symbol("n")), "-i", "x=" + value);
        assertThat(ran.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(ran.err()).contains("the value of input 'x'").contains(why);
    }

    @Test
    void otherInputsFollowByTheNamesOfExtents() {
        Path model = Command.model(folder.resolve("two.onnx"), editor -> {
            Value a = editor.addInput("a", SEQUENCE);
            Value b = editor.addInput("b", SEQUENCE);
            output(editor, "y", "Add", a, b);
        });
        assertThat(millrace("run", model, "--shape", "b=2,5").out()).startsWith("y: float[2, 5]");
        assertThat(millrace("run", model, "-i", "a=[[1,2,3]]").out()).startsWith("y: float[1, 3]");
        // what is called a sequence is one
        assertThat(millrace("run", model).out()).startsWith("y: float[1, 16]");
    }

    @Test
    void aModelIsKnownByItsInputs() {
        Path renamed = Command.model(folder.resolve("voice.onnx"), editor -> {
            Dim free = Dim.symbol("n");
            Value input = editor.addInput(
                    "input", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(free, Dim.symbol("samples"))));
            Value state = editor.addInput(
                    "state", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(2), free, Dim.of(128))));
            Value rate = editor.addInput("sr", ValueType.tensor(ElementType.INT64, SymbolicShape.of()));
            output(editor, "heard", "Identity", input);
            output(editor, "kept", "Identity", state);
            output(editor, "rate", "Identity", rate);
        });
        assertThat(millrace("run", renamed).out())
                .contains("heard: float[1, 512]")
                .contains("kept: float[2, 1, 128]")
                .contains("rate: int64[] 16000");
    }

    @Test
    void imagesOfAnySizeHaveOne() {
        Path model = Command.model(folder.resolve("image.onnx"), editor -> {
            SymbolicShape shape = SymbolicShape.of(Dim.symbol("n"), Dim.of(3), Dim.symbol("h"), Dim.symbol("w"));
            output(editor, "y", "Relu", editor.addInput("x", ValueType.tensor(ElementType.FLOAT, shape)));
        });
        assertThat(millrace("run", model).out()).startsWith("y: float[1, 3, 224, 224]");
        assertThat(millrace("run", model, "--shape", "x=2,3,8,8").out()).startsWith("y: float[2, 3, 8, 8]");
    }

    @ParameterizedTest
    @CsvSource({
        "--shape, x, is no shape",
        "--shape, x=one, no number",
        "--shape, x=-1, negative extent",
        "--runs, 0, at least 1",
        "--elements, -3, at least 0",
        "--threads, -5, at least 0",
        "--provider-of-what, x, Unknown option"
    })
    void whatMakesNoSenseEndsWithTwo(String option, String value, String why) {
        Command ran = millrace("run", same(ElementType.FLOAT, Dim.of(1)), option, value);
        assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
        assertThat(ran.err()).contains(why);
    }
}
