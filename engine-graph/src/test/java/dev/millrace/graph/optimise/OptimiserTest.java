package dev.millrace.graph.optimise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.OptimisationReport.PassResult;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.optimise.pass.Pass;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class OptimiserTest {
    private static final Set<OpId> RELU = Set.of(OpId.onnx("Relu"));

    private static Optimiser optimiser(Pass... passes) {
        return new Optimiser(List.of(passes), Optimiser.Options.DEFAULT, ConstantEvaluator.NONE);
    }

    private static Pass rule(String name, Pass.Rule rule) {
        return new Pass.AtNode(name, Level.BASIC, RELU, rule);
    }

    /** A chain of Relu nodes. */
    private static TestGraph relus(int count) {
        var g = new TestGraph();
        Value value = g.input("n", 4);
        for (int i = 0; i < count; i++) {
            value = g.op("Relu", value);
        }
        return g.output(value);
    }

    private static Pass reluTo(String name, String op) {
        return rule(
                name,
                (node, context) -> context.patch(node, "Relu becomes " + op)
                        .replace(
                                node.requireOutput(0),
                                NodeSpec.of(OpId.onnx(op), node.opset(), node.input(0))
                                        .named("by " + name))
                        .build());
    }

    @Test
    void everyMatchIsPatchedAndReported() {
        var g = relus(3);

        OptimisationReport report = optimiser(reluTo("to-tanh", "Tanh")).optimise(g.graph);

        assertThat(g.ops()).containsExactly("Tanh", "Tanh", "Tanh");
        assertThat(report.patchesOf("to-tanh")).isEqualTo(3);
        assertThat(report.patches()).hasSize(3).allSatisfy(applied -> {
            assertThat(applied.pass()).isEqualTo("to-tanh");
            assertThat(applied.reason()).isEqualTo("Relu becomes Tanh");
        });
        assertThat(report.nodesBefore()).isEqualTo(3);
        assertThat(report.nodesAfter()).isEqualTo(3);
        assertThat(report.settled()).isTrue();
    }

    @Test
    void nodesWithoutResultsAreLeftAlone() {
        var g = relus(1);
        NodeSpec nothing = NodeSpec.of(OpId.onnx("Relu"), 18, g.graph.inputs().getFirst());
        new GraphEditor(g.graph).append(nothing, Collections.singletonList(null));

        optimiser(reluTo("to-tanh", "Tanh")).optimise(g.graph);

        assertThat(g.ops()).containsExactly("Tanh", "Relu");
    }

    @Test
    void timeIsCountedPerPassByTheGivenClock() {
        var clock = new AtomicLong();
        var optimiser = new Optimiser(
                List.of(reluTo("to-tanh", "Tanh")),
                Optimiser.Options.DEFAULT,
                ConstantEvaluator.NONE,
                () -> clock.getAndAdd(5));

        OptimisationReport report = optimiser.optimise(relus(1).graph);

        assertThat(report.passes()).containsExactly(new PassResult("to-tanh", 1, Duration.ofNanos(10)));
        assertThat(report.duration()).isEqualTo(Duration.ofNanos(25));
    }

    @Test
    void nestedGraphsAreOptimisedToo() {
        var g = new TestGraph();
        var x = g.input("n", 4);
        var then = g.nested("then");
        then.output(then.op("Relu", x));
        var otherwise = g.nested("else");
        otherwise.output(otherwise.op("Neg", x));
        var branches = Attributes.of(Map.of(
                "then_branch", Attribute.of(then.graph),
                "else_branch", Attribute.of(otherwise.graph)));
        g.output(g.op("If", branches, g.input(ElementType.BOOL)));

        OptimisationReport report = optimiser(reluTo("to-tanh", "Tanh")).optimise(g.graph);

        assertThat(then.ops()).containsExactly("Tanh");
        assertThat(report.patches().getFirst().graph()).isEqualTo("then");
        assertThat(report.nodesBefore()).isEqualTo(3);
    }

    @Test
    void disabledPassesAndPassesAboveTheLevelDoNotRun() {
        var extended = new Pass.AtNode("extended", Level.EXTENDED, RELU, (node, context) -> {
            throw new AssertionError("must not run");
        });
        var disabled = rule("disabled", (node, context) -> {
            throw new AssertionError("must not run");
        });
        var options = Optimiser.Options.builder()
                .level(Level.BASIC)
                .disable(List.of("disabled"))
                .build();

        OptimisationReport report =
                new Optimiser(List.of(extended, disabled), options, ConstantEvaluator.NONE).optimise(relus(1).graph);

        assertThat(report.passes()).isEmpty();
        assertThat(report.settled()).isTrue();
    }

    @Test
    void aPassThatDoesNotExistCannotBeDisabled() {
        var options =
                Optimiser.Options.builder().disable(List.of("fold-constant")).build();

        assertThatThrownBy(() -> new Optimiser(options, ConstantEvaluator.NONE))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("[fold-constant]")
                .hasMessageContaining("fold-constants");
    }

    @Test
    void theNamesOfTheStandardPassesAreUnique() {
        assertThat(Optimiser.passNames()).doesNotHaveDuplicates().contains("fold-constants", "conv-batchnorm");
    }

    @Test
    void aPassThatNeverEndsIsStoppedAndNamed() {
        assertThatThrownBy(() -> optimiser(reluTo("restless", "Relu")).optimise(relus(2).graph))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("'restless'")
                .hasMessageContaining("does not end");
    }

    @Test
    void aSearchThatNeverEndsIsStoppedAndNamed() {
        var endless = new Pass.OverGraph(
                "restless",
                Level.BASIC,
                (graph, context) -> Collections.nCopies(
                                1_000_000, context.patch(graph, "nothing").build())
                        .iterator());

        assertThatThrownBy(() -> optimiser(endless).optimise(relus(2).graph)).hasMessageContaining("'restless'");
    }

    @Test
    void passesThatUndoEachOtherEndUnsettled() {
        var back = new Pass.AtNode(
                "back",
                Level.BASIC,
                Set.of(OpId.onnx("Tanh")),
                (node, context) -> context.patch(node, "Tanh becomes Relu")
                        .replace(node.requireOutput(0), NodeSpec.of(OpId.onnx("Relu"), 21, node.input(0)))
                        .build());

        OptimisationReport report = optimiser(reluTo("forth", "Tanh"), back).optimise(relus(1).graph);

        assertThat(report.settled()).isFalse();
        assertThat(report.patchesOf("forth")).isEqualTo(Optimiser.Options.DEFAULT.loopLimit());
    }

    @Test
    void aPatchThatChangesAnElementTypeIsNamed() {
        Pass wrong = rule(
                "wrong-type",
                (node, context) -> context.patch(node, "Relu is an equality")
                        .replace(node.requireOutput(0), NodeSpec.of(OpId.onnx("IsNaN"), 20, node.input(0)))
                        .build());

        assertThatThrownBy(() -> optimiser(wrong).optimise(relus(1).graph))
                .hasMessageContaining("'wrong-type'")
                .hasMessageContaining("patch 1 (Relu is an equality)")
                .hasMessageContaining("element type");
    }

    @Test
    void aPatchThatChangesARankIsNamed() {
        Pass wrong = rule("wrong-rank", (node, context) -> {
            Patch.Builder patch = context.patch(node, "Relu is flat");
            Value shape = patch.constant("shape", Tensor.copyOf(new long[] {-1}, 1));
            return patch.replace(node.requireOutput(0), NodeSpec.of(OpId.onnx("Reshape"), 21, node.input(0), shape))
                    .build();
        });

        assertThatThrownBy(() -> optimiser(wrong).optimise(relus(1).graph))
                .hasMessageContaining("'wrong-rank'")
                .hasMessageContaining("rank");
    }

    @Test
    void aPatchThatReadsAValueBeforeItIsMadeIsNamed() {
        Pass wrong = rule("wrong-order", (node, context) -> {
            Value later = node.requireOutput(0);
            Node reader = later.users().isEmpty() ? null : later.users().getFirst();
            return reader == null
                    ? null
                    : context.patch(node, "read too early")
                            .setInput(node, 0, reader.requireOutput(0))
                            .build();
        });
        var options = Optimiser.Options.builder().checkEachPatch(true).build();

        assertThatThrownBy(
                        () -> new Optimiser(List.of(wrong), options, ConstantEvaluator.NONE).optimise(relus(2).graph))
                .hasMessageContaining("'wrong-order'")
                .hasMessageContaining("patch 1 (read too early)")
                .hasMessageContaining("not there yet");
    }

    @Test
    void whatAPassThrowsCarriesItsName() {
        Pass wrong = rule("throwing", (node, context) -> {
            throw new IllegalStateException("a bug");
        });

        assertThatThrownBy(() -> optimiser(wrong).optimise(relus(1).graph))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("'throwing'")
                .hasMessageContaining("a bug")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void anInvalidGraphIsNoPassesFault() {
        var g = new TestGraph();
        var x = g.input(2);
        var y = g.input(3);
        var editor = new GraphEditor(g.graph);
        g.output(editor.append(NodeSpec.of(OpId.onnx("Add"), 21, x, y), List.of("sum"))
                .requireOutput(0));

        assertThatThrownBy(() -> optimiser().optimise(g.graph))
                .isInstanceOf(EngineException.class)
                .hasMessageNotContaining("pass '");
    }

    @Test
    void optimisationStopsAfterTheGivenPatch() {
        var g = relus(5);
        var options = Optimiser.Options.builder().maxPatches(2).build();

        OptimisationReport report =
                new Optimiser(List.of(reluTo("to-tanh", "Tanh")), options, ConstantEvaluator.NONE).optimise(g.graph);

        assertThat(g.ops()).containsExactly("Tanh", "Tanh", "Relu", "Relu", "Relu");
        assertThat(report.settled()).isFalse();
    }

    @Test
    void bisectionFindsTheFirstBadPatch() {
        var optimiser = optimiser(
                reluTo("harmless", "Tanh"),
                new Pass.AtNode(
                        "culprit",
                        Level.BASIC,
                        Set.of(OpId.onnx("Tanh")),
                        (node, context) -> context.patch(
                                        node, "spoils " + node.requireInput(0).name())
                                .replace(node.requireOutput(0), NodeSpec.of(OpId.onnx("Neg"), 21, node.input(0)))
                                .build()));
        Predicate<Graph> good = graph -> {
            int bad = 0;
            for (Node node : graph.nodes()) {
                bad += node.is("Neg") ? 1 : 0;
            }
            return bad < 3;
        };

        var found = optimiser.bisect(() -> relus(6).graph, good).orElseThrow();

        assertThat(found.pass()).isEqualTo("culprit");
        var names = relus(6).graph.nodes().iterator();
        names.next();
        names.next();
        assertThat(found.reason())
                .isEqualTo("spoils " + names.next().requireInput(0).name());
    }

    @Test
    void bisectionTakesAPatchThatThrowsForBad() {
        Pass fragile = rule("fragile", (node, context) -> {
            boolean last = node.next() == null;
            NodeSpec spec = NodeSpec.of(OpId.onnx(last ? "IsNaN" : "Tanh"), 20, node.input(0));
            return context.patch(node, last ? "the last one" : "any other")
                    .replace(node.requireOutput(0), spec)
                    .build();
        });

        var found =
                optimiser(fragile).bisect(() -> relus(4).graph, graph -> true).orElseThrow();

        assertThat(found.reason()).isEqualTo("the last one");
    }

    @Test
    void bisectionFindsNothingWhereAllIsGood() {
        assertThat(optimiser(reluTo("to-tanh", "Tanh")).bisect(() -> relus(3).graph, graph -> true))
                .isEmpty();
    }

    @Test
    void typesBehindAPatchBecomeMorePrecise() {
        var g = new TestGraph();
        var shape = g.input(ElementType.INT64, 2);
        var reshaped = g.op("Reshape", g.input(2, 3), g.op("Relu", shape));
        g.output(g.op("Tanh", reshaped));
        Pass knows = rule("knows", (node, context) -> {
            Patch.Builder patch = context.patch(node, "the shape is known");
            Value constant = patch.constant("shape", Tensor.copyOf(new long[] {3, 2}, 2));
            return patch.redirect(node.requireOutput(0), constant).build();
        });

        optimiser(knows).optimise(g.graph);

        assertThat(g.graph.outputs().getFirst().type()).hasToString("float[3,2]");
    }

    @Test
    void aLongChainIsOptimisedInTime() {
        var g = new TestGraph();
        var editor = new GraphEditor(g.graph);
        Value value = g.input("n", 4);
        Value one = g.scalar(1);
        for (int i = 0; i < 10_000; i++) {
            OpId op = OpId.onnx(i % 4 == 0 ? "Identity" : i % 4 == 1 ? "Mul" : i % 4 == 2 ? "Add" : "Tanh");
            NodeSpec spec = i % 4 == 1 || i % 4 == 2 ? NodeSpec.of(op, 21, value, one) : NodeSpec.of(op, 21, value);
            value = editor.append(spec, List.of("v" + i)).requireOutput(0);
        }
        g.output(value);

        OptimisationReport report = new Optimiser(Optimiser.Options.DEFAULT, ConstantEvaluator.NONE).optimise(g.graph);

        assertThat(report.nodesAfter()).isEqualTo(5_000);
        assertThat(report.settled()).isTrue();
        assertThat(report.duration()).isLessThan(Duration.ofSeconds(2));
    }
}
