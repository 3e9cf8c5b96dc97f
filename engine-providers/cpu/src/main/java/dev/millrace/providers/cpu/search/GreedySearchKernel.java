package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.search.Scores;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.Arrays;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** GreedySearch and Sampling of {@code com.microsoft}: one sequence for each of a batch, of the likeliest or drawn words. */
public final class GreedySearchKernel implements DynamicKernel {
    private static final int MOST_WORDS = 16384;
    private static final int REPETITION_PENALTY = 3;
    private static final int ATTENTION_MASK = 6;
    private static final int PRESENCE_MASK = 7;

    private final Node node;
    private final boolean draws;

    public GreedySearchKernel(Node node) {
        this.node = node;
        draws = node.op().name().equals("Sampling");
        long kind = node.attributes().integer("model_type", 0);
        if (kind != 0) {
            throw EngineException.notImplemented(
                    node.describe() + ": model_type " + kind + " where 0, a decoder alone, is known");
        }
        if (node.outputs().size() > 1) {
            throw EngineException.notImplemented(node.describe() + ": filtered scores as an output");
        }
    }

    @Override
    public void run(DynamicContext context) {
        var inputs = new SearchInputs(context);
        int most = inputs.within("max_length", inputs.number(SearchInputs.LONGEST, MOST_WORDS), 1, MOST_WORDS);
        float temperature = node.attributes().real("temperature", 1);
        if (!(temperature > 0)) {
            throw inputs.refuse("temperature is " + temperature + " where a positive number is expected");
        }
        LogitsProcessing rules = LogitsProcessing.of(inputs, REPETITION_PENALTY, temperature);
        if (draws) {
            float penalty = node.attributes().real("presence_penalty", 0);
            rules = rules.with(rules.masks().less(inputs.numbers(PRESENCE_MASK), penalty));
        }
        WordSampler sampler = draws ? WordSampler.of(inputs) : null;
        ToIntFunction<float[]> choice = sampler == null ? scores -> Math.max(0, Scores.largest(scores)) : sampler::word;
        var model = new DecoderModel(inputs, ATTENTION_MASK, most);
        inputs.requireRoom(most, model.first()[0].length);
        int pad = inputs.attribute("pad_token_id", -1);
        int[][] words = search(context, rules, model, choice, most, pad);
        context.output(0, WordRows.last(words, most));
    }

    private static int[][] search(
            DynamicContext context,
            LogitsProcessing rules,
            WordModel model,
            ToIntFunction<float[]> choice,
            int most,
            int pad) {
        int[][] words = model.first();
        int begin = words[0].length;
        boolean[] ended = new boolean[words.length];
        int[] all = IntStream.range(0, words.length).toArray();
        Tensor logits = model.begin();
        for (int length = begin; ; ) {
            context.checkCancelled();
            float[][] scores = rules.last(logits, words.length);
            int[][] longer = new int[words.length][];
            for (int row = 0; row < words.length; row++) {
                context.checkCancelled();
                rules.apply(scores[row], words[row], row, length == begin);
                int word = choice.applyAsInt(scores[row]);
                ended[row] |= word == rules.end();
                longer[row] = Arrays.copyOf(words[row], length + 1);
                longer[row][length] = ended[row] ? pad : word;
            }
            words = longer;
            length++;
            boolean done = IntStream.range(0, ended.length).allMatch(row -> ended[row]);
            if (done || length == most) {
                return filled(words, most, pad);
            }
            logits = model.goOn(words, all);
        }
    }

    private static int[][] filled(int[][] words, int most, int pad) {
        int[][] filled = new int[words.length][];
        for (int i = 0; i < filled.length; i++) {
            filled[i] = Arrays.copyOf(words[i], most);
            Arrays.fill(filled[i], words[i].length, most, pad);
        }
        return filled;
    }
}
