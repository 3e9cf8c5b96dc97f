package dev.millrace.providers.simd.rule.product;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EinsumRulesTest {
    private final Random random = new Random(8);

    private static long extent(char letter) {
        return 3 + (letter - 'a') % 5;
    }

    private Tensor tensor(String letters) {
        return Comparison.random(
                random,
                letters.chars().mapToLong(letter -> extent((char) letter)).toArray());
    }

    private Comparison compared(String equation, String... terms) {
        return new Comparison(editor -> {
            Value[] inputs = new Value[terms.length];
            for (int i = 0; i < terms.length; i++) {
                inputs[i] = Comparison.floats(editor, "input " + i, terms[i].length());
            }
            add(editor, equation, inputs);
        });
    }

    private static void add(GraphEditor editor, String equation, Value... inputs) {
        NodeSpec spec = NodeSpec.of(OpId.onnx("Einsum"), 12, inputs).with("equation", Attribute.of(equation));
        editor.addOutput("out", editor.append(spec, List.of("out")).requireOutput(0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ab->ba",
                "ab->a",
                "ab->b",
                "ab->",
                "abc->cb",
                "aa->a",
                "aab->b",
                "ba",
                "aab",
                "ab,bc->ac",
                "ab,bc",
                "ab,cb->ca",
                "abc,acd->abd",
                "bacd,bcae->aedb",
                "abcd,dbe->ce",
                "a,b->ab",
                "a,a",
                "ab,ab->a",
                "ab,ab->ba",
                "abc,bd->a",
                "aab,bc->ca",
                "ab,cde->dbaec"
            })
    void equationsOfLetters(String equation) {
        String[] terms = equation.split("->")[0].split(",");
        Tensor[] inputs = new Tensor[terms.length];
        for (int i = 0; i < terms.length; i++) {
            inputs[i] = tensor(terms[i]);
        }
        try (var comparison = compared(equation, terms)) {
            comparison.agreesOn(inputs).withoutFallback();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc->cab", "aac->ca", "abc->b", "a...->...a", "...ab->ba...", "...aa->...a", "...->..."})
    void oneOperandOfAnyNumbers(String equation) {
        for (ElementType type : List.of(ElementType.DOUBLE, ElementType.INT64, ElementType.FLOAT)) {
            Tensor numbers = Tensor.allocate(type, Shape.of(4, 4, 4));
            for (int i = 0; i < 64; i++) {
                Elements.setLong(type, numbers.segment(), i, random.nextInt(-100, 100));
            }
            var graph = new SmallGraph();
            Value in = graph.input(numbers);
            graph.output(graph.node("Einsum", 12, Map.of("equation", Attribute.of(equation)), in));
            graph.check(0);
        }
    }

    @Test
    void whatIsBroadcastIsLeftToTheReference() {
        try (var comparison = compared("ab,bc->ac", "ab", "bc")) {
            comparison.agreesOn(Comparison.random(random, 3, 1), Comparison.random(random, 4, 5));
        }
        try (var dots = compared("...ab->...ba", "xab")) {
            dots.agreesOn(Comparison.random(random, 2, 3, 4));
        }
        try (var three = compared("ab,bc,cd->ad", "ab", "bc", "cd")) {
            three.agreesOn(tensor("ab"), tensor("bc"), tensor("cd"));
        }
    }
}
