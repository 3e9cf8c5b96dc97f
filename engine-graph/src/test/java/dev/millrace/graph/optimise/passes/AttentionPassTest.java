package dev.millrace.graph.optimise.passes;

import static dev.millrace.graph.optimise.TestGraph.with;
import static dev.millrace.graph.optimise.TestGraph.withInt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.TestGraph;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class AttentionPassTest {
    private static final String PASS = "attention";

    private final TestGraph g = new TestGraph();
    private final Value q = g.input("batch", 12, "seq", 32);
    private final Value k = g.input("batch", 12, "keys", 32);
    private final Value v = g.input("batch", 12, "keys", 32);

    private Value transposed(Value key) {
        return g.op("Transpose", with("perm", 0, 1, 3, 2), key);
    }

    private Value weighted(Value scores) {
        return g.op("MatMul", g.op("Softmax", withInt("axis", -1), scores), v);
    }

    private Value scores() {
        return g.op("MatMul", q, transposed(k));
    }

    @Test
    void scaledAndMasked() {
        var mask = g.input("batch", 1, 1, "keys");
        g.output(weighted(g.op("Add", g.op("Div", scores(), g.scalar(4)), mask)));

        assertThat(g.run(PASS)).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Attention");
        assertThat(g.find("Attention").inputs()).containsExactly(q, k, v, mask);
        assertThat(g.find("Attention").attributes().real("scale")).isEqualTo(0.25f);
        assertThat(g.graph.outputs().getFirst().type()).hasToString("float[batch,12,seq,32]");
    }

    @Test
    void noHeadsAreNoAttention() {
        Value none = g.input("batch", 0, "seq", 32);
        Value scores = g.op("MatMul", none, transposed(none));
        g.output(g.op("MatMul", g.op("Softmax", withInt("axis", -1), scores), none));

        assertThat(g.run(PASS)).isZero();
    }

    @Test
    void withoutAMaskTheScaleIsOne() {
        g.output(weighted(scores()));

        assertThat(g.run(PASS)).isEqualTo(1);

        assertThat(g.find("Attention").inputs()).containsExactly(q, k, v);
        assertThat(g.find("Attention").attributes().real("scale")).isEqualTo(1);
    }

    @Test
    void scalesOnBothSidesMultiply() {
        var left = g.op("Mul", q, g.scalar(0.5));
        var right = g.op("Mul", transposed(k), g.scalar(0.25));
        g.output(weighted(g.op("MatMul", left, right)));

        assertThat(g.run(PASS)).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Attention");
        assertThat(g.find("Attention").attributes().real("scale")).isEqualTo(0.125f);
    }

    @Test
    void aKeyThatWasTransposedAtOnceKeepsTheRestOfIt() {
        var key = g.input("batch", "keys", 12, 32);
        g.output(weighted(g.op("MatMul", q, g.op("Transpose", with("perm", 0, 2, 3, 1), key))));

        assertThat(g.run(PASS)).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Transpose", "Attention");
        assertThat(g.find("Transpose").attributes().integers("perm")).containsExactly(0, 2, 1, 3);
    }

    @Test
    void probabilitiesThatAreAnOutputStay() {
        var probabilities = g.op("Softmax", withInt("axis", -1), scores());
        g.output(probabilities);
        g.output(g.op("MatMul", probabilities, v));

        assertThat(g.run(PASS)).isZero();
    }

    @Test
    void aSoftmaxOverAnotherAxisStays() {
        g.output(g.op("MatMul", g.op("Softmax", withInt("axis", 1), scores()), v));

        assertThat(g.run(PASS)).isZero();
    }

    @Test
    void headsThatSpreadStay() {
        var oneHead = g.input("batch", 1, "keys", 32);
        g.output(weighted(g.op("MatMul", q, transposed(oneHead))));

        assertThat(g.run(PASS)).isZero();
    }

    @Test
    void aMaskThatSpreadsTheScoresStays() {
        var mask = g.input("more", 1, 1, "keys");
        g.output(weighted(g.op("Add", scores(), mask)));

        assertThat(g.run(PASS)).isZero();
    }

    @Test
    void aNegativeScaleStays() {
        g.output(weighted(g.op("Mul", scores(), g.scalar(-1))));

        assertThat(g.run(PASS)).isZero();
    }

    /** The Expand refuses another number of keys, as the Add does that is fused. */
    @Test
    void aMaskOfAnotherNumberOfKeysIsExpandedOnceForAllAttentions() {
        var mask = g.input("batch", 1, "seq", "masked");
        g.output(weighted(g.op("Add", scores(), mask)));
        g.output(weighted(g.op("Add", mask, scores())));

        assertThat(g.run(PASS)).isEqualTo(2);

        assertThat(g.ops()).containsExactlyInAnyOrder("Shape", "Concat", "Expand", "Attention", "Attention");
        var expand = g.find("Expand");
        assertThat(expand.input(0)).isSameAs(mask);
        assertThat(expand.requireOutput(0).users())
                .extracting(user -> user.op().name())
                .containsExactly("Attention", "Attention");
        var count = g.find("Shape");
        assertThat(count.input(0)).isSameAs(v);
        assertThat(count.attributes().integer("start", 0)).isEqualTo(2);
        assertThat(count.attributes().integer("end", 0)).isEqualTo(3);
    }

    @Test
    void aMaskOfOneKeyIsExpanded() {
        var mask = g.input("batch", 1, "seq", 1);
        g.output(weighted(g.op("Add", scores(), mask)));

        assertThat(g.run(PASS)).isEqualTo(1);

        assertThat(g.find("Attention").input(3)).isSameAs(g.find("Expand").output(0));
    }

    @Test
    void aMaskOfAnotherNumberOfKeysStaysWhereValuesMayHaveMoreRowsThanKeys() {
        var mask = g.input("batch", 1, "seq", "masked");
        var other = g.input("batch", 12, "others", 32);
        var softmax = g.op("Softmax", withInt("axis", -1), g.op("Add", scores(), mask));
        g.output(g.op("MatMul", softmax, other));

        assertThat(g.run(PASS)).isZero();
    }

    private Value repeated(Value heads, long... times) {
        var apart = g.op("Unsqueeze", heads, g.integers(2));
        return g.op("Reshape", g.op("Expand", apart, g.integers(times)), g.integers(0, 12, -1, 32));
    }

    private Value attention(Value key, Value value) {
        return g.op("MatMul", g.op("Softmax", withInt("axis", -1), g.op("MatMul", q, transposed(key))), value);
    }

    @Test
    void headsThatAreRepeatedAreShared() {
        var fewKeys = g.input(1, 4, "keys", 32);
        var fewValues = g.input(1, 4, "keys", 32);
        var one = g.input(1, 12, "seq", 32);
        var scores = g.op("MatMul", one, transposed(repeated(fewKeys, 1, 1, 3, 1, 1)));
        g.output(g.op("MatMul", g.op("Softmax", withInt("axis", -1), scores), repeated(fewValues, 1, 1, 3, 1, 1)));

        assertThat(g.run(PASS)).isEqualTo(1);
        assertThat(g.run("shared-heads")).isEqualTo(1);
        g.run("merge-reshapes");

        assertThat(g.find("Attention").inputs()).containsExactly(one, fewKeys, fewValues);
        assertThat(g.ops()).containsExactly("Attention");
        assertThat(g.graph.outputs().getFirst().type()).hasToString("float[1,12,seq,32]");
    }

    /** Checks that attention over heads that are repeated in a way reads the few heads themselves. */
    private void assertShared(UnaryOperator<Value> repeated) {
        var key = g.input("batch", 4, "keys", 32);
        var value = g.input("batch", 4, "keys", 32);
        g.output(attention(repeated.apply(key), repeated.apply(value)));

        assertThat(g.run(PASS)).isEqualTo(1);
        assertThat(g.run("shared-heads")).isEqualTo(1);
        g.run("merge-reshapes");

        assertThat(g.find("Attention").inputs()).containsExactly(q, key, value);
    }

    /** The extents of a Reshape that joins repeated heads come from the shape of the cache, and leave the rows open. */
    @Test
    void repeatedHeadsOfAnyBatchAreShared() {
        assertShared(this::joined);
    }

    /** A traced expand takes each extent from a shape, and replaces -1 by 1. */
    @Test
    void headsThatATracedExpandRepeatsAreShared() {
        assertShared(this::traced);
    }

    private Value traced(Value heads) {
        var five = extents(extent(heads, 0), extent(heads, 1), g.integers(3), extent(heads, 2), extent(heads, 3));
        var ones = g.op("ConstantOfShape", g.integers(5));
        var isOpen = g.op("Equal", five, g.op("Sub", g.op("Cast", withInt("to", 7), ones), g.integers(1)));
        var target = g.op("Where", isOpen, g.integers(1), five);
        var all = g.op("Mul", extent(heads, 1), g.integers(3));
        var four = extents(extent(heads, 0), all, extent(heads, 2), extent(heads, 3));
        return g.op("Reshape", g.op("Expand", g.op("Unsqueeze", heads, g.integers(2)), target), four);
    }

    private Value extent(Value value, long axis) {
        return g.op("Gather", g.op("Shape", value), g.integers(axis));
    }

    private Value extents(Value... parts) {
        return g.op("Concat", withInt("axis", 0), parts);
    }

    private Value joined(Value heads) {
        var batch = g.op("Shape", withInt("end", 1), heads);
        var extents = g.op("Concat", withInt("axis", 0), batch, g.integers(12, -1, 32));
        var apart = g.op("Unsqueeze", heads, g.integers(2));
        return g.op("Reshape", g.op("Expand", apart, g.integers(1, 1, 3, 1, 1)), extents);
    }

    @Test
    void headsOfValuesThatAreThereOnceStay() {
        var fewKeys = g.input("batch", 4, "keys", 32);
        g.output(attention(repeated(fewKeys, 1, 1, 3, 1, 1), v));

        assertThat(g.run(PASS)).isEqualTo(1);
        assertThat(g.run("shared-heads")).isZero();
    }

    @Test
    void rowsThatAreRepeatedStay() {
        var key = g.input("batch", 4, 1, 32);
        var value = g.input("batch", 4, 1, 32);
        g.output(attention(repeated(key, 1, 1, 3, 2, 1), repeated(value, 1, 1, 3, 2, 1)));

        assertThat(g.run(PASS)).isEqualTo(1);
        assertThat(g.run("shared-heads")).isZero();
    }
}
