package dev.millrace.bench.agree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputDrawTest {
    private static final InputDraw FIRST = InputDraw.WAYS.getFirst();
    private static final Roles NONE = new Roles(new ModelFileFacts(null, false, Set.of(), false));

    @TempDir
    private Path folder;

    private static ValueInfo info(String name, ElementType type, Dim... dims) {
        return new ValueInfo(name, ValueType.tensor(type, SymbolicShape.of(dims)), false);
    }

    private static Tensor tensor(Inputs inputs, String name) {
        return (Tensor) Objects.requireNonNull(inputs.input(name));
    }

    @Test
    void extentsOfOneNameAreEqualAndDifferFromDrawToDraw() {
        List<ValueInfo> declared = List.of(
                info("a", ElementType.FLOAT, Dim.symbol("batch"), Dim.symbol("length"), Dim.of(7)),
                info("b", ElementType.INT64, Dim.symbol("length"), Dim.symbol("batch")),
                info("c", ElementType.FLOAT, Dim.symbol("length + 1")));
        Inputs one = FIRST.make(declared, NONE, 0, 5);
        Inputs other = FIRST.make(declared, NONE, 1, 5);
        for (Inputs inputs : List.of(one, other)) {
            long[] a = tensor(inputs, "a").shape().toArray();
            assertThat(tensor(inputs, "b").shape().toArray()).containsExactly(a[1], a[0]);
            assertThat(tensor(inputs, "c").shape().toArray()).containsExactly(a[1] + 1);
            assertThat(a[2]).isEqualTo(7);
        }
        assertThat(tensor(one, "a").shape()).isNotEqualTo(tensor(other, "a").shape());
    }

    @Test
    void extentsWithoutANameAreThoseOfTheirAxis() {
        Inputs inputs = FIRST.make(
                List.of(
                        info("a", ElementType.FLOAT, Dim.UNKNOWN, Dim.of(3)),
                        info("b", ElementType.FLOAT, Dim.UNKNOWN)),
                NONE,
                0,
                5);
        assertThat(tensor(inputs, "b").shape().dim(0))
                .isEqualTo(tensor(inputs, "a").shape().dim(0));
    }

    @Test
    void theSameSeedMakesTheSameInputs() {
        List<ValueInfo> declared = List.of(info("a", ElementType.FLOAT, Dim.of(9)));
        float[] once = tensor(FIRST.make(declared, NONE, 0, 5), "a").floats();
        assertThat(tensor(FIRST.make(declared, NONE, 0, 5), "a").floats()).containsExactly(once);
        assertThat(tensor(FIRST.make(declared, NONE, 0, 6), "a").floats()).isNotEqualTo(once);
        assertThat(tensor(FIRST.make(declared, NONE, 1, 5), "a").floats()).isNotEqualTo(once);
    }

    @Test
    void everyTypeIsMade() {
        for (ElementType type : ElementType.values()) {
            Inputs inputs = FIRST.make(List.of(info("a", type, Dim.of(5))), NONE, 0, 5);
            assertThat(tensor(inputs, "a").type()).isEqualTo(type);
        }
        ValueType floats = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(2)));
        Inputs inputs = FIRST.make(
                List.of(
                        new ValueInfo("s", new ValueType.SequenceType(floats), false),
                        new ValueInfo("o", new ValueType.OptionalType(floats), false),
                        new ValueInfo("m", new ValueType.MapType(ElementType.INT64, floats), false),
                        new ValueInfo("d", floats, true)),
                NONE,
                0,
                5);
        assertThat(inputs.input("s")).isInstanceOf(TensorSequence.class);
        assertThat(inputs.input("o")).isInstanceOf(OptionalDatum.class);
        assertThat(inputs.input("m")).isInstanceOf(MapDatum.class);
        assertThat(inputs.input("d")).as("an input with a default").isNull();
    }

    @Test
    void indicesFitWhatTheyAreTakenFrom() throws IOException {
        var model = new ReferenceModel();
        Value table = model.constant("table", Tensor.copyOf(new float[6], 3, 2));
        Value ids = model.input("ids", ValueType.tensor(ElementType.INT32, SymbolicShape.of(Dim.of(50))));
        Value wide = model.node("Cast", Attributes.of("to", Attribute.of(ElementType.INT64.code())), ids);
        model.output("y", model.node("Gather", table, wide));

        int[] made = tensor(make(model), "ids").ints();

        assertThat(Arrays.stream(made).distinct().sorted()).containsExactly(0, 1, 2);
    }

    @Test
    void aTargetIsWhatTheModelDeclaresOfItsResultOrARow() throws IOException {
        var model = new ReferenceModel();
        Value x = model.input("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(6))));
        Value target = model.input("target", ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.of(2))));
        model.output("y", model.node("Reshape", x, target));

        assertThat(tensor(make(model), "target").longs()).containsExactly(-1, 1);
    }

    @Test
    void nothingIsDividedByZero() throws IOException {
        var model = new ReferenceModel();
        ValueType whole = ValueType.tensor(ElementType.INT32, SymbolicShape.of(Dim.of(100)));
        model.output("y", model.node("Div", model.input("a", whole), model.input("b", whole)));

        assertThat(tensor(make(model), "b").ints()).doesNotContain(0);
    }

    @Test
    void whatHidesScoresIsMostlyOneWhateverItsName() throws IOException {
        var model = new ReferenceModel();
        Value ids =
                model.input("input_2", ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.of(50), Dim.of(2))));
        Value seen = model.node("Cast", Attributes.of("to", Attribute.of(ElementType.FLOAT.code())), ids);
        Value one = model.node("Constant", Attributes.of("value", Attribute.of(Tensor.scalar(1f))));
        Value hidden = model.node("Sub", one, seen);
        Value far = model.constant("far", Tensor.copyOf(new float[] {-10_000}));
        model.output("y", model.node("Mul", hidden, far));

        long[] made = tensor(make(model), "input_2").longs();

        assertThat(made).containsOnly(0, 1);
        assertThat(Arrays.stream(made).sum()).isGreaterThan(70);
        assertThat(IntStream.range(0, 50).mapToLong(row -> made[2 * row]))
                .as("the first one of each row")
                .containsOnly(1L);
    }

    private Inputs make(ReferenceModel model) throws IOException {
        Path file = Files.write(folder.resolve("model.onnx"), model.bytes());
        ModelFileFacts facts = ModelFileFacts.of(file);
        return FIRST.make(Objects.requireNonNull(facts.inputs()), new Roles(facts), 0, 5);
    }
}
