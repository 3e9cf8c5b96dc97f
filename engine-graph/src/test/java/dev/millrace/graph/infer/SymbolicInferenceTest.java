package dev.millrace.graph.infer;

import static dev.millrace.graph.infer.TestGraph.integer;
import static dev.millrace.graph.infer.TestGraph.ints;
import static dev.millrace.graph.infer.TestGraph.shape;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import org.junit.jupiter.api.Test;

class SymbolicInferenceTest {
    private final TestGraph g = new TestGraph(13);

    private Value extent(Value of, long axis) {
        return g.node("Gather", integer("axis", 0), g.node("Shape", of), g.scalar(axis));
    }

    private Value unsqueezed(Value scalar) {
        return g.node("Unsqueeze", scalar, g.constant(0));
    }

    @Test
    void attentionHeadsKeepBatchAndSequence() {
        Value x = g.input("x", ElementType.FLOAT, "batch", "seq", 384);
        Value w = g.input("w", ElementType.FLOAT, 384, 384);
        Value q = g.node("MatMul", x, w);
        Value split = g.node(
                "Concat", integer("axis", 0), unsqueezed(extent(x, 0)), unsqueezed(extent(x, 1)), g.constant(12, 32));
        Value heads = g.node("Transpose", ints("perm", 0, 2, 1, 3), g.node("Reshape", q, split));
        Value keys = g.node("Transpose", ints("perm", 0, 1, 3, 2), heads);
        Value scores = g.node("Softmax", integer("axis", -1), g.node("MatMul", heads, keys));
        Value context = g.node("Transpose", ints("perm", 0, 2, 1, 3), g.node("MatMul", scores, heads));
        Value width = g.node("Mul", extent(context, 2), extent(context, 3));
        Value merged = g.node(
                "Concat",
                integer("axis", 0),
                unsqueezed(extent(context, 0)),
                unsqueezed(extent(context, 1)),
                unsqueezed(width));
        Value flat = g.node("Reshape", context, merged);
        Value open = g.node("Reshape", context, g.constant(0, 0, -1));
        g.infer();

        assertThat(heads.shape()).isEqualTo(shape("batch", 12, "seq", 32));
        assertThat(scores.shape()).isEqualTo(shape("batch", 12, "seq", "seq"));
        assertThat(flat.shape()).isEqualTo(shape("batch", "seq", 384));
        assertThat(open.shape()).isEqualTo(shape("batch", "seq", 384));
    }

    @Test
    void attentionMaskExpandsThroughWhereAndEqual() {
        Value mask = g.input("mask", ElementType.INT64, "batch", "seq");
        Value wide = g.node("Unsqueeze", mask, g.constant(1, 2));
        Value target = g.node(
                "Concat",
                integer("axis", 0),
                unsqueezed(extent(mask, 0)),
                g.constant(1),
                unsqueezed(extent(mask, 1)),
                unsqueezed(extent(mask, 1)));
        Value ones = g.node(
                "ConstantOfShape",
                Attributes.of("value", Attribute.of(Tensor.copyOf(new long[] {1}, 1))),
                g.constant(4));
        Value minus = g.node("Mul", ones, g.scalar(-1));
        Value chosen = g.node("Where", g.node("Equal", target, minus), ones, target);
        Value expanded = g.node("Expand", wide, chosen);
        g.infer();

        assertThat(expanded.shape()).isEqualTo(shape("batch", 1, "seq", "seq"));
    }

    @Test
    void positionsSlicedToTheSequenceBroadcastToIt() {
        Value x = g.input("x", ElementType.FLOAT, "batch", "seq", 384);
        Value positions = g.input("positions", ElementType.INT64, 1, 512);
        Value used = g.node("Slice", positions, g.constant(0), unsqueezed(extent(x, 1)), g.constant(1));
        Value table = g.input("table", ElementType.FLOAT, 512, 384);
        Value sum = g.node("Add", x, g.node("Gather", table, used));
        g.infer();

        assertThat(used.shape()).isEqualTo(shape(1, "min(512, seq)"));
        assertThat(sum.shape()).isEqualTo(shape("batch", "seq", 384));
    }

    @Test
    void positionsSlicedTwiceExpandToTheSequence() {
        Value x = g.input("x", ElementType.INT64, "batch", "seq");
        Value positions = g.input("positions", ElementType.INT64, 1, 512);
        Value first = g.node("Slice", positions, g.constant(0, 0), g.constant(1, 9999), g.constant(0, 1));
        Value lengths = g.node("Concat", integer("axis", 0), unsqueezed(extent(x, 0)), unsqueezed(extent(x, 1)));
        Value used = g.node("Slice", first, g.constant(0, 0), lengths, g.constant(0, 1));
        Value expanded = g.node("Expand", used, lengths);
        g.infer();

        assertThat(used.shape()).isEqualTo(shape("min(1, batch)", "min(512, seq)"));
        assertThat(expanded.shape()).isEqualTo(shape("batch", "seq"));
    }

    @Test
    void whatIsAddedToAMinimumIsNoPartOfIt() {
        Value x = g.input("x", ElementType.INT64, "min(512, seq) + 1");
        Value y = g.input("y", ElementType.INT64, "seq");
        Value sum = g.node("Add", x, y);
        g.infer();

        assertThat(sum.shape()).isEqualTo(shape("?"));
    }

    @Test
    void anExtentThatIsNamedByANumberIsNotThatNumber() {
        Value x = g.input("x", ElementType.FLOAT, "1", "2");
        Value y = g.node("Concat", integer("axis", 0), x, x);
        g.infer();

        assertThat(y.shape()).isEqualTo(shape("`1`*2", "2"));
    }

    @Test
    void cachedKeysHaveTheSumOfBothLengths() {
        Value past = g.input("past", ElementType.FLOAT, "batch", 12, "past_length", 64);
        Value key = g.input("key", ElementType.FLOAT, "batch", 12, "length", 64);
        Value all = g.node("Concat", integer("axis", 2), past, key);
        Value first = extent(past, 2);
        Value range = g.node("Range", first, extent(all, 2), g.scalar(1));
        g.infer();

        assertThat(all.shape()).isEqualTo(shape("batch", 12, "length + past_length", 64));
        assertThat(range.shape()).isEqualTo(shape("length"));
    }

    @Test
    void stridedConvolutionsOfUnknownImagesAreOneDivision() {
        Value image = g.input("image", ElementType.FLOAT, "n", 3, "h", "w");
        Value weights = g.input("weights", ElementType.FLOAT, 8, 3, 3, 3);
        Value conv = g.node("Conv", ints("strides", 2, 2).with("pads", Attribute.of(1L, 1, 1, 1)), image, weights);
        Value pool = g.node("MaxPool", ints("kernel_shape", 2, 2).with("strides", Attribute.of(2L, 2)), conv);
        g.infer();

        assertThat(conv.shape()).isEqualTo(shape("n", 8, "floordiv(h + 1, 2)", "floordiv(w + 1, 2)"));
        assertThat(pool.shape()).isEqualTo(shape("n", 8, "floordiv(h + 1, 4)", "floordiv(w + 1, 4)"));
    }

    @Test
    void productsCancelInReshape() {
        Value x = g.input("x", ElementType.FLOAT, "batch", "seq", 12, 64);
        Value rows = g.node("Reshape", x, g.constant(-1, 64));
        Value back = g.node("Reshape", rows, g.constant(-1, 12, 64));
        Value doubled = g.node("Concat", integer("axis", 1), x, x);
        Value halved = g.node("Split", integer("axis", 1), doubled);
        g.infer();

        assertThat(rows.shape()).isEqualTo(shape("batch*seq*12", 64));
        assertThat(back.shape()).isEqualTo(shape("batch*seq", 12, 64));
        assertThat(doubled.shape()).isEqualTo(shape("batch", "seq*2", 12, 64));
        assertThat(halved.shape()).isEqualTo(shape("batch", "seq*2", 12, 64));
    }

    @Test
    void namesThatLookLikeExpressionsOfAForeignModelStayNames() {
        Value x = g.input("x", ElementType.FLOAT, "dim-1", "b c");
        Value y = g.node("Concat", integer("axis", 0), x, x);
        Value z = g.node("Reshape", y, g.constant(2, -1));
        g.infer();

        assertThat(y.shape()).isEqualTo(shape("`dim-1`*2", "b c"));
        assertThat(z.shape()).isEqualTo(shape(2, "`b c`*`dim-1`"));
    }
}
