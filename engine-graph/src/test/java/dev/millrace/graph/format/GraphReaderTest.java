package dev.millrace.graph.format;

import static dev.millrace.graph.format.Protos.attribute;
import static dev.millrace.graph.format.Protos.bytes;
import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.info;
import static dev.millrace.graph.format.Protos.model;
import static dev.millrace.graph.format.Protos.node;
import static dev.millrace.graph.format.Protos.opset;
import static dev.millrace.graph.format.Protos.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

class GraphReaderTest {
    @Test
    void nodesOutOfOrderAreSorted() {
        Graph graph = read(model(graph(
                        List.of("x"),
                        List.of("z"),
                        node("Neg", List.of("y"), List.of("z")),
                        node("Abs", List.of("x"), List.of("y")))))
                .graph();
        assertThat(operators(graph)).containsExactly("Abs", "Neg");
    }

    @Test
    void aNodeThatANestedGraphWaitsForComesFirst() {
        GraphProto.Builder branch = graph(List.of(), List.of("b"), node("Neg", List.of("late"), List.of("b")));
        Graph graph = read(model(graph(
                        List.of("c", "x"),
                        List.of("z"),
                        node("If", List.of("c"), List.of("z"))
                                .addAttribute(attribute("then_branch", branch))
                                .addAttribute(attribute("else_branch", branch)),
                        node("Abs", List.of("x"), List.of("late")))))
                .graph();
        assertThat(operators(graph)).containsExactly("Abs", "If");
        Value late = Objects.requireNonNull(graph.firstNode()).requireOutput(0);
        assertThat(late.users()).hasSize(2).allMatch(user -> user.is("Neg"));
    }

    @Test
    void aCycleIsReportedByTheNodesOnIt() {
        assertRefused(model(graph(
                        List.of("x"),
                        List.of("d"),
                        node("Add", List.of("x", "c"), List.of("a")).setName("first"),
                        node("Abs", List.of("a"), List.of("b")).setName("second"),
                        node("Neg", List.of("b"), List.of("c")).setName("third"),
                        node("Exp", List.of("c"), List.of("d")).setName("downstream"))))
                .hasMessageContaining("cycle")
                .hasMessageContaining("'first'")
                .hasMessageContaining("'second'")
                .hasMessageContaining("'third'")
                .hasMessageNotContaining("'downstream'");
    }

    @Test
    void aNodeThatReadsItselfThroughANestedGraphIsACycle() {
        GraphProto.Builder branch = graph(List.of(), List.of("b"), node("Neg", List.of("z"), List.of("b")));
        assertRefused(model(graph(
                        List.of("c"),
                        List.of("z"),
                        node("If", List.of("c"), List.of("z")).addAttribute(attribute("then_branch", branch)))))
                .hasMessageContaining("cycle: If -> 'z'");
    }

    @Test
    void wrongNamesAreNamed() {
        assertRefused(model(graph(List.of("x"), List.of("y"), node("Abs", List.of("nowhere"), List.of("y")))))
                .hasMessageContaining("'nowhere'")
                .hasMessageContaining("Abs -> 'y'");
        assertRefused(model(graph(List.of("x"), List.of("ghost"), node("Abs", List.of("x"), List.of("y")))))
                .hasMessageContaining("'ghost'");
        assertRefused(model(graph(List.of("x", "x"), List.of()))).hasMessageContaining("'x'");
        assertRefused(model(graph(List.of("x"), List.of(), node("Abs", List.of("x"), List.of("x")))))
                .hasMessageContaining("'x'");
        assertRefused(model(graph(List.of(), List.of())
                        .addInitializer(bytes("w", 1))
                        .addInitializer(bytes("w", 2))))
                .hasMessageContaining("'w'");
        assertRefused(model(graph(List.of("x"), List.of(), node("", List.of("x"), List.of("y")))))
                .hasMessageContaining("no operator");
    }

    @Test
    void anEmptyNameIsAnOmittedInputOrOutput() {
        Graph graph = read(model(
                        graph(List.of("x"), List.of("m"), node("Dropout", List.of("x", "", "x"), List.of("", "m")))))
                .graph();
        Node dropout = Objects.requireNonNull(graph.firstNode());
        assertThat(dropout.inputs()).hasSize(3);
        assertThat(dropout.input(1)).isNull();
        assertThat(dropout.output(0)).isNull();
    }

    @Test
    void nestedGraphsReadOuterValuesAndMayHideThem() {
        GraphProto.Builder branch = graph(
                List.of(),
                List.of("b"),
                node("Abs", List.of("x"), List.of("y")),
                node("Neg", List.of("y"), List.of("b")));
        Graph graph = read(model(graph(
                        List.of("c", "x"),
                        List.of("z", "y"),
                        node("Exp", List.of("x"), List.of("y")),
                        node("If", List.of("c"), List.of("z")).addAttribute(attribute("then_branch", branch)))))
                .graph();
        Graph nested = Objects.requireNonNull(graph.lastNode()).attributes().graph("then_branch");
        Node neg = Objects.requireNonNull(nested.lastNode());
        assertThat(neg.requireInput(0).graph()).isSameAs(nested);
        assertThat(Objects.requireNonNull(nested.firstNode()).requireInput(0).graph())
                .isSameAs(graph);
    }

    @Test
    void whatABranchNamesAsAnInputIsItsInitializerOrTheValueAroundIt() {
        GraphProto.Builder branch = graph(List.of("x", "w"), List.of("b"), node("Add", List.of("x", "w"), List.of("b")))
                .setName("then")
                .addInitializer(bytes("w", 7));
        Model model = read(model(graph(
                List.of("c", "x"),
                List.of("z"),
                node("If", List.of("c"), List.of("z")).addAttribute(attribute("then_branch", branch)))));
        Node choice = Objects.requireNonNull(model.graph().firstNode());
        Graph then = choice.attributes().graph("then_branch");
        assertThat(then.inputs()).isEmpty();
        Node add = Objects.requireNonNull(then.firstNode());
        assertThat(add.requireInput(0)).isSameAs(model.graph().inputs().get(1));
        assertThat(Objects.requireNonNull(add.requireInput(1).constant()).longs())
                .containsExactly(7);
        assertThat(model.notes())
                .containsExactly(
                        "branch 'then' of an If has an input 'x', which an If does not give; the value of that name"
                                + " around the branch counts",
                        "branch 'then' of an If has an input 'w', which an If does not give; its initializer counts");
    }

    @Test
    void anInputOfABranchThatNothingGivesIsRefused() {
        GraphProto.Builder branch = graph(List.of("u"), List.of("b"), node("Neg", List.of("u"), List.of("b")));
        assertRefused(model(graph(
                        List.of("c"),
                        List.of("z"),
                        node("If", List.of("c"), List.of("z")).addAttribute(attribute("then_branch", branch)))))
                .hasMessageContaining("If -> 'z'")
                .hasMessageContaining("attribute 'then_branch'")
                .hasMessageContaining("has an input 'u', which an If does not give; it has no initializer");
    }

    @Test
    void initializersThatAreInputsAreConstantsBeforeIrVersionFourAndDefaultsSince() {
        GraphProto.Builder graph = graph(List.of("x", "w"), List.of("y"), node("Add", List.of("x", "w"), List.of("y")))
                .addInitializer(bytes("w", 7));
        Graph old = read(model(graph).setIrVersion(3)).graph();
        assertThat(old.inputs()).extracting(Value::name).containsExactly("x");
        assertThat(old.constants()).extracting(Value::name).containsExactly("w");
        Graph recent = read(model(graph).setIrVersion(4)).graph();
        assertThat(recent.inputs()).extracting(Value::name).containsExactly("x", "w");
        assertThat(recent.constants()).isEmpty();
        assertThat(Objects.requireNonNull(recent.defaultOf(recent.inputs().get(1)))
                        .longs())
                .containsExactly(7);
    }

    @Test
    void aKnownDomainNeedsNoImport() {
        Model model = read(model(graph(
                List.of("x"),
                List.of("y"),
                node("Gelu", List.of("x"), List.of("a")).setDomain("com.microsoft"),
                node("Scaler", List.of("a"), List.of("y")).setDomain("ai.onnx.ml"))));
        assertThat(model.graph().nodes()).extracting(Node::opset).containsExactly(1, 5);
        assertThat(model.opsets()).containsEntry("com.microsoft", 1).containsEntry("ai.onnx.ml", 5);
        assertThat(model.notes())
                .containsExactly(
                        "the model imports no opset of domain 'com.microsoft'; opset 1 is assumed",
                        "the model imports no opset of domain 'ai.onnx.ml'; opset 5 is assumed");
        assertRefused(model(graph(
                        List.of("x"),
                        List.of("y"),
                        node("F", List.of("x"), List.of("y")).setDomain("elsewhere"))))
                .hasMessageContaining("imports no opset of domain 'elsewhere'");
    }

    @Test
    void eachNodeHasTheOpsetOfItsDomain() {
        Model model = read(model(graph(
                        List.of("x"),
                        List.of("y"),
                        node("Abs", List.of("x"), List.of("a")),
                        node("Gelu", List.of("a"), List.of("b")).setDomain("com.microsoft"),
                        node("Neg", List.of("b"), List.of("c")).setDomain("ai.onnx"),
                        node("Exp", List.of("c"), List.of("y")).setDomain("dev.millrace.onnx9")))
                .addOpsetImport(opset("com.microsoft", 1))
                .addOpsetImport(opset("dev.millrace.onnx9", 9)));
        assertThat(StreamSupport.stream(model.graph().nodes().spliterator(), false))
                .extracting(Node::op, Node::opset)
                .containsExactly(
                        tuple(OpId.onnx("Abs"), 21),
                        tuple(new OpId("com.microsoft", "Gelu"), 1),
                        tuple(OpId.onnx("Neg"), 21),
                        tuple(OpId.onnx("Exp"), 9));
        assertThat(model.opsets()).containsOnlyKeys("", "com.microsoft");
    }

    @Test
    void aMissingImportIsAnErrorExceptInTheOldestModels() {
        GraphProto.Builder graph = graph(List.of("x"), List.of("y"), node("Abs", List.of("x"), List.of("y")));
        ModelProto.Builder without = model(graph).clearOpsetImport();
        assertRefused(without).hasMessageContaining("'ai.onnx'").hasMessageContaining("Abs");
        Node abs = Objects.requireNonNull(read(without.setIrVersion(2)).graph().firstNode());
        assertThat(abs.opset()).isEqualTo(1);
    }

    @Test
    void typesStandOnTheValuesTheyAreDeclaredFor() {
        GraphProto.Builder graph = graph(
                        List.of("x"),
                        List.of("z"),
                        node("Abs", List.of("x"), List.of("y")),
                        node("Neg", List.of("y"), List.of("z")))
                .addValueInfo(info("y"));
        Graph read = read(model(graph)).graph();
        assertThat(Objects.requireNonNull(read.firstNode()).requireOutput(0)).hasToString("y: float[...]");
        assertThat(read.outputs()).singleElement().hasToString("z: float[...]");
    }

    @Test
    void attributesOfDoubtfulKindAreRefused() {
        assertAttributeRefused(AttributeProto.newBuilder().setI(1).setF(2)).hasMessageContaining("declared type");
        assertAttributeRefused(AttributeProto.newBuilder()
                        .setType(AttributeProto.AttributeType.TENSOR)
                        .setI(1))
                .hasMessageContaining("declared type");
        assertAttributeRefused(AttributeProto.newBuilder().setType(AttributeProto.AttributeType.GRAPH))
                .hasMessageContaining("0 values");
        assertAttributeRefused(AttributeProto.newBuilder()).hasMessageContaining("neither a type nor a value");
        assertAttributeRefused(AttributeProto.newBuilder().setRefAttrName("alpha"))
                .hasMessageContaining("'alpha'");
    }

    @Test
    void anAttributeWithoutTypeIsOfTheTypeOfItsValue() {
        assertThat(readAttribute(AttributeProto.newBuilder().setI(0))).hasToString("Int[value=0]");
        assertThat(readAttribute(AttributeProto.newBuilder().addInts(3).addInts(4)))
                .hasToString("Ints[values=[3, 4]]");
        assertThat(readAttribute(AttributeProto.newBuilder()
                        .setType(AttributeProto.AttributeType.FLOAT)
                        .setI(0)
                        .setF(2)))
                .hasToString("Float[value=2.0]");
    }

    private static AbstractThrowableAssert<?, ?> assertAttributeRefused(AttributeProto.Builder attribute) {
        return assertRefused(withAttribute(attribute)).hasMessageContaining("attribute 'a'");
    }

    private static Object readAttribute(AttributeProto.Builder attribute) {
        Node node =
                Objects.requireNonNull(read(withAttribute(attribute)).graph().firstNode());
        return Objects.requireNonNull(node.attributes().find("a"));
    }

    private static ModelProto.Builder withAttribute(AttributeProto.Builder attribute) {
        return model(graph(
                List.of("x"),
                List.of("y"),
                node("Abs", List.of("x"), List.of("y")).addAttribute(attribute.setName("a"))));
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(ModelProto.Builder model) {
        return assertThatThrownBy(() -> read(model))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH));
    }

    private static List<String> operators(Graph graph) {
        return StreamSupport.stream(graph.nodes().spliterator(), false)
                .map(node -> node.op().name())
                .toList();
    }
}
