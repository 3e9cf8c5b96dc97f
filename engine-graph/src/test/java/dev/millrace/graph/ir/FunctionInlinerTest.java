package dev.millrace.graph.ir;

import static dev.millrace.graph.format.Protos.attribute;
import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.node;
import static dev.millrace.graph.format.Protos.opset;
import static dev.millrace.graph.format.Protos.reference;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.ModelText;
import dev.millrace.graph.format.Protos;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.TensorShapeProto;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

class FunctionInlinerTest {
    private static final String DOMAIN = "f";

    @Test
    void aCallBecomesItsBodyInTheBodysOpset() {
        FunctionProto.Builder function = function("Twice", node("Add", List.of("x", "x"), List.of("y")));
        Model inlined =
                inline(call("Twice", "a", "b").setName("call"), function.setOpsetImport(0, opset("", 7)), DOMAIN);
        assertThat(inlined.functions()).isEmpty();
        Node add = Objects.requireNonNull(inlined.graph().firstNode());
        assertThat(add.op()).isEqualTo(OpId.onnx("Add"));
        assertThat(add.opset()).isEqualTo(7);
        assertThat(add.inputs()).containsOnly(inlined.graph().inputs().getFirst());
        assertThat(inlined.graph().outputs()).containsExactly(add.requireOutput(0));
        assertThat(add.requireOutput(0).name()).isEqualTo("b");
        assertThat(inlined.graph().nodeCount()).isEqualTo(1);
    }

    @Test
    void theModelThatIsInlinedStaysAsItWas() {
        ModelProto.Builder proto = Protos.model(graph(List.of("a"), List.of("b"), call("F", "a", "b")))
                .addFunctions(function("F", node("Abs", List.of("x"), List.of("y"))));
        Model model = Protos.read(proto);
        String before = ModelText.of(model);
        FunctionInliner.inline(model);
        assertThat(ModelText.of(model)).isEqualTo(before);
    }

    @Test
    void attributesAreTheCallersOrTheDefaultsOrAbsent() {
        FunctionProto.Builder function = function(
                        "F",
                        node("Op", List.of("x"), List.of("y"))
                                .addAttribute(reference("given", "a"))
                                .addAttribute(reference("byDefault", "b"))
                                .addAttribute(reference("overridden", "c"))
                                .addAttribute(reference("absent", "d"))
                                .addAttribute(attribute("own", 9)))
                .addAttribute("a")
                .addAttribute("d")
                .addAttributeProto(attribute("b", 2))
                .addAttributeProto(attribute("c", 3));
        NodeProto.Builder call =
                call("F", "a", "b").addAttribute(attribute("a", 1)).addAttribute(attribute("c", 30));
        Node op = Objects.requireNonNull(inline(call, function, DOMAIN).graph().firstNode());
        assertThat(op.attributes().asMap())
                .containsOnlyKeys("given", "byDefault", "overridden", "own")
                .containsEntry("given", Attribute.of(1))
                .containsEntry("byDefault", Attribute.of(2))
                .containsEntry("overridden", Attribute.of(30))
                .containsEntry("own", Attribute.of(9));
    }

    @Test
    void callsInBodiesAndInNestedGraphsAreExpandedWithTheirAttributes() {
        FunctionProto.Builder inner =
                function("Inner", node("Op", List.of("x"), List.of("y")).addAttribute(reference("v", "k")));
        GraphProto.Builder branch =
                graph(List.of(), List.of("t"), call("Inner", "x", "t").addAttribute(reference("k", "outer")));
        FunctionProto.Builder outer = function(
                "Outer",
                call("Inner", "x", "m").addAttribute(reference("k", "outer")),
                node("If", List.of("m"), List.of("y")).addAttribute(attribute("then_branch", branch)));
        ModelProto.Builder model = Protos.model(graph(
                        List.of("a"), List.of("b"), call("Outer", "a", "b").addAttribute(attribute("outer", 5))))
                .addFunctions(outer)
                .addFunctions(inner);
        Graph graph = FunctionInliner.inline(Protos.read(model)).graph();
        assertThat(graph.nodes()).extracting(Node::op).containsExactly(OpId.onnx("Op"), OpId.onnx("If"));
        Node op = Objects.requireNonNull(graph.firstNode());
        assertThat(op.attributes().integer("v")).isEqualTo(5);
        Graph nested = Objects.requireNonNull(graph.lastNode()).attributes().graph("then_branch");
        Node nestedOp = Objects.requireNonNull(nested.firstNode());
        assertThat(nestedOp.attributes().integer("v")).isEqualTo(5);
        assertThat(nestedOp.requireInput(0)).isSameAs(graph.inputs().getFirst());
        assertThat(nested.parent()).isSameAs(graph);
        assertThat(nested.owner()).isSameAs(graph.lastNode());
    }

    @Test
    void aGraphMayBeAnAttributeOfTheCaller() {
        FunctionProto.Builder function = function(
                "F",
                node("If", List.of("x"), List.of("y"))
                        .addAttribute(AttributeProto.newBuilder()
                                .setName("then_branch")
                                .setType(AttributeProto.AttributeType.GRAPH)
                                .setRefAttrName("body")));
        GraphProto.Builder body = graph(List.of(), List.of("t"), node("Neg", List.of("a"), List.of("t")));
        Graph graph = inline(call("F", "a", "b").addAttribute(attribute("body", body)), function, DOMAIN)
                .graph();
        Graph nested = Objects.requireNonNull(graph.firstNode()).attributes().graph("then_branch");
        assertThat(Objects.requireNonNull(nested.firstNode()).requireInput(0))
                .isSameAs(graph.inputs().getFirst());
        assertThat(graph.inputs().getFirst().users()).hasSize(2);
    }

    @Test
    void omittedInputsAreOmittedInTheBody() {
        FunctionProto.Builder function = function("F", node("Clip", List.of("x", "low", "high"), List.of("y")))
                .addInput("low")
                .addInput("high");
        NodeProto.Builder call = node("F", List.of("a", "", "a"), List.of("b")).setDomain(DOMAIN);
        Node clip =
                Objects.requireNonNull(inline(call, function, DOMAIN).graph().firstNode());
        Value a = clip.requireInput(0);
        assertThat(clip.inputs()).containsExactly(a, null, a);
    }

    @Test
    void anInputThatIsAnOutputIsPassedOn() {
        FunctionProto.Builder function =
                function("F", node("Abs", List.of("x"), List.of("y"))).addOutput("x");
        Graph graph = inline(node("F", List.of("a"), List.of("unused", "b")).setDomain(DOMAIN), function, DOMAIN)
                .graph();
        assertThat(graph.outputs()).containsExactly(graph.inputs().getFirst());
        assertThat(graph.outputNames()).containsExactly("b");
        assertThat(graph.inputs().getFirst().name()).isEqualTo("a");
    }

    @Test
    void symbolsOfABodyDoNotMeetThoseOfAnotherCall() {
        var info = Protos.info("m").toBuilder();
        info.getTypeBuilder()
                .getTensorTypeBuilder()
                .getShapeBuilder()
                .addDim(TensorShapeProto.Dimension.newBuilder().setDimParam("N"));
        FunctionProto.Builder function = function(
                        "F", node("Abs", List.of("x"), List.of("m")), node("Neg", List.of("m"), List.of("y")))
                .addValueInfo(info);
        Node abs = Objects.requireNonNull(
                inline(call("F", "a", "b"), function, DOMAIN).graph().firstNode());
        assertThat(abs.requireOutput(0)).hasToString("m: float[?]");
    }

    @Test
    void overloadsAreToldApart() {
        ModelProto.Builder model = Protos.model(graph(
                        List.of("a"), List.of("c"), call("F", "a", "b").setOverload("second"), call("F", "b", "c")))
                .addFunctions(function("F", node("First", List.of("x"), List.of("y"))))
                .addFunctions(function("F", node("Second", List.of("x"), List.of("y")))
                        .setOverload("second"));
        assertThat(FunctionInliner.inline(Protos.read(model)).graph().nodes())
                .extracting(node -> node.op().name(), Node::name)
                .containsExactly(tuple("Second", ""), tuple("First", ""));
    }

    @Test
    void functionsThatCallThemselvesAreNamed() {
        assertRefused(Protos.model(graph(List.of("a"), List.of("b"), call("A", "a", "b")))
                        .addFunctions(function("A", call("B", "x", "y")))
                        .addFunctions(function("B", call("C", "x", "y")))
                        .addFunctions(function("C", call("B", "x", "y"))))
                .hasMessageContaining("f.B -> f.C -> f.B");
        assertRefused(Protos.model(graph(List.of("a"), List.of("a")))
                        .addFunctions(function("Self", call("Self", "x", "y"))))
                .hasMessageContaining("f.Self -> f.Self");
    }

    @Test
    void expansionIsBounded() {
        ModelProto.Builder model = Protos.model(graph(List.of("a"), List.of("b"), call("F0", "a", "b")));
        for (int i = 0; i < 40; i++) {
            model.addFunctions(function("F" + i, call("F" + (i + 1), "x", "m"), call("F" + (i + 1), "m", "y")));
        }
        assertRefused(model).hasMessageContaining("more than 1000000 nodes");
    }

    @Test
    void graphsThatOnlyCallsNestAreBounded() {
        ModelProto.Builder model = Protos.model(graph(List.of("a"), List.of("b"), call("F0", "a", "b")));
        for (int i = 0; i < 100; i++) {
            GraphProto.Builder branch = graph(List.of(), List.of("t"), call("F" + (i + 1), "x", "t"));
            model.addFunctions(function(
                    "F" + i, node("If", List.of("x"), List.of("y")).addAttribute(attribute("then_branch", branch))));
        }
        assertRefused(model).hasMessageContaining("deeper than 64");
    }

    @Test
    void aLongChainOfFunctionsIsExpandedWithoutRecursion() {
        ModelProto.Builder model = Protos.model(graph(List.of("a"), List.of("b"), call("F0", "a", "b")));
        IntStream.range(0, 20_000).forEach(i -> model.addFunctions(function("F" + i, call("F" + (i + 1), "x", "y"))));
        model.addFunctions(function("F20000", node("Abs", List.of("x"), List.of("y"))));
        Graph graph = FunctionInliner.inline(Protos.read(model)).graph();
        assertThat(StreamSupport.stream(graph.nodes().spliterator(), false))
                .extracting(Node::op)
                .containsExactly(OpId.onnx("Abs"));
    }

    @Test
    void manyCallsThatReadOneValueAreExpandedInOneGo() {
        int calls = 200_000;
        GraphProto.Builder graph = graph(List.of("a"), List.of("a"));
        for (int i = 0; i < calls; i++) {
            graph.addNode(call("F", "a", "v" + i));
        }
        Model model =
                Protos.read(Protos.model(graph).addFunctions(function("F", node("Abs", List.of("x"), List.of("y")))));
        Graph inlined = assertTimeoutPreemptively(
                Duration.ofSeconds(30), () -> FunctionInliner.inline(model).graph());
        assertThat(inlined.inputs().getFirst().users()).hasSize(calls).allMatch(user -> user.is("Abs"));
        assertThat(inlined.nodeCount()).isEqualTo(calls);
    }

    @Test
    void callsWithTooManyInputsAreRefused() {
        assertRefused(Protos.model(graph(
                                List.of("a"),
                                List.of("b"),
                                node("F", List.of("a", "a"), List.of("b")).setDomain(DOMAIN)))
                        .addFunctions(function("F", node("Abs", List.of("x"), List.of("y")))))
                .hasMessageContaining("2 inputs");
    }

    private static Model inline(NodeProto.Builder call, FunctionProto.Builder function, String domain) {
        return FunctionInliner.inline(Protos.read(
                Protos.model(graph(List.of("a"), List.of("b"), call)).addFunctions(function.setDomain(domain))));
    }

    private static NodeProto.Builder call(String function, String input, String output) {
        return node(function, List.of(input), List.of(output)).setDomain(DOMAIN);
    }

    private static FunctionProto.Builder function(String name, NodeProto.Builder... nodes) {
        var function = FunctionProto.newBuilder()
                .setDomain(DOMAIN)
                .setName(name)
                .addInput("x")
                .addOutput("y")
                .addOpsetImport(opset("", 21));
        for (NodeProto.Builder node : nodes) {
            function.addNode(node);
        }
        return function;
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(ModelProto.Builder model) {
        return assertThatThrownBy(() -> FunctionInliner.inline(Protos.read(model)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH));
    }
}
