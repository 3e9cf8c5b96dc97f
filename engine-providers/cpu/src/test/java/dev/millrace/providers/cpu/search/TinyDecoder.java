package dev.millrace.providers.cpu.search;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.NestedBody;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A language model of five words, as a graph and as a formula. The scores of the next word depend on the last word, on
 * its position, on the number of words that are not padding, and by way of the cache on the sum of all words.
 */
final class TinyDecoder {
    static final int WORDS = 5;
    static final int PAD = 0;

    /** The length of prompts, which may begin with padding. */
    static final int PROMPT = 3;

    private final Tensor table;
    private final Tensor bySum;
    private final Tensor byPosition;
    private final Tensor byCount;

    TinyDecoder(long seed) {
        var random = new Random(seed);
        table = RandomTensors.normal(random, WORDS, WORDS);
        bySum = RandomTensors.normal(random, WORDS);
        byPosition = RandomTensors.normal(random, WORDS);
        byCount = RandomTensors.normal(random, WORDS);
    }

    /** Returns the scores of the word behind a prompt and what was generated so far. */
    double[] scores(int[] sequence) {
        int last = sequence[sequence.length - 1];
        int sum = Arrays.stream(sequence).sum();
        long given =
                Arrays.stream(sequence, 0, PROMPT).filter(word -> word != PAD).count();
        long count = given + sequence.length - PROMPT;
        double[] scores = new double[WORDS];
        for (int i = 0; i < WORDS; i++) {
            scores[i] = table.doubles()[last * WORDS + i]
                    + sum * bySum.doubles()[i]
                    + (count - 1) * byPosition.doubles()[i]
                    + count * byCount.doubles()[i];
        }
        return scores;
    }

    Attribute graph() {
        var body = new NestedBody();
        Value words = body.input("input_ids", ValueType.tensor(ElementType.INT32));
        Value positions = body.input("position_ids", ValueType.tensor(ElementType.INT32));
        Value mask = body.input("attention_mask", ValueType.tensor(ElementType.INT32));
        SymbolicShape cacheShape =
                SymbolicShape.of(Dim.of(2), Dim.symbol("rows"), Dim.of(1), Dim.symbol("steps"), Dim.of(1));
        Value past = body.input("past_0", ValueType.tensor(ElementType.FLOAT, cacheShape));
        Value added = body.op("Unsqueeze", real(body, words), axes(body, 0, 2, 4));
        Value cache = concat(body, 3, past, concat(body, 0, added, added));
        Value sums = body.op("Div", sum(body, cache, 0, 2, 3, 4), body.constant(Tensor.scalar(2f)));
        Value count = sum(body, real(body, mask), 1);
        Value perSequence = body.op("Add", weighted(body, sums, bySum, 1, 2), weighted(body, count, byCount, 1, 2));
        Value perWord = weighted(body, real(body, positions), byPosition, 2);
        Value scores = body.op("Gather", body.constant(table), words);
        Value all = body.op("Add", scores, body.op("Add", perSequence, perWord));
        return body.gives(all, ValueType.tensor(ElementType.FLOAT))
                .gives(cache, ValueType.tensor(ElementType.FLOAT))
                .attribute();
    }

    private static Value axes(NestedBody body, long... axes) {
        return body.constant(Tensor.copyOf(axes, axes.length));
    }

    private static Value real(NestedBody body, Value value) {
        return body.add(
                NodeSpec.of(OpId.onnx("Cast"), 21, value).with("to", Attribute.of((long) ElementType.FLOAT.code())));
    }

    private static Value concat(NestedBody body, long axis, Value... parts) {
        return body.add(NodeSpec.of(OpId.onnx("Concat"), 21, List.of(parts).toArray(new Value[0]))
                .with("axis", Attribute.of(axis)));
    }

    private static Value sum(NestedBody body, Value value, long... axes) {
        return body.add(
                NodeSpec.of(OpId.onnx("ReduceSum"), 21, value, axes(body, axes)).with("keepdims", Attribute.of(0L)));
    }

    private static Value weighted(NestedBody body, Value value, Tensor weights, long... axes) {
        return body.op("Mul", body.op("Unsqueeze", value, axes(body, axes)), body.constant(weights));
    }
}
