package dev.millrace.providers.cpu.search;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A decoder-only model. Its inputs are words, their positions, a mask of the words that are not padding, and the caches
 * of its layers, with keys before values. Its outputs are scores and the extended caches. Where the graph asks for the
 * length of the caches' content, they are allocated at their full length.
 */
final class DecoderModel implements WordModel {
    private static final String EACH_STEP = "decoder";
    private static final String FIRST_STEP = "init_decoder";
    private static final int CACHE_RANK = 5;
    private static final int CACHE_ROWS = 1;
    private static final int CACHE_HEADS = 2;
    private static final int CACHE_SIZE = 4;

    private final SearchInputs inputs;
    private final NestedGraphs graphs;
    private final int most;
    private final Prompt[] prompts;
    private List<Tensor> caches = List.of();

    /** @param maskInput the input that may hold a mask of words; without one, all words but padding count */
    DecoderModel(SearchInputs inputs, int maskInput, int most) {
        this.inputs = inputs;
        this.most = most;
        graphs = new NestedGraphs(inputs.node());
        Tensor words = inputs.context().tensor(SearchInputs.WORDS);
        if (words.type() != ElementType.INT32 || words.shape().rank() != 2 || words.elements() == 0) {
            throw inputs.refuse("words are " + words + " where whole numbers by text and place are expected");
        }
        Tensor mask = inputs.find(maskInput);
        if (mask != null && (mask.type() != ElementType.INT32 || !mask.shape().equals(words.shape()))) {
            throw inputs.refuse("the mask is " + mask + " for words of shape " + words.shape());
        }
        int pad = inputs.attribute("pad_token_id", -1);
        int[][] masks = mask == null ? null : WordRows.of(mask);
        int[][] rows = WordRows.of(words);
        prompts = new Prompt[rows.length];
        Arrays.setAll(prompts, i -> Prompt.of(rows[i], masks == null ? null : masks[i], pad));
    }

    /**
     * The prompt of one of the texts.
     *
     * @param there 1 for words that count, else 0
     * @param places the position of each word among those that are not padding
     * @param next the position of the word behind them
     */
    private record Prompt(int[] words, int[] there, int[] places, int next) {
        static Prompt of(int[] words, int @Nullable [] mask, int pad) {
            int[] there = mask == null
                    ? Arrays.stream(words).map(word -> word == pad ? 0 : 1).toArray()
                    : mask;
            int[] places = new int[words.length];
            int next = 0;
            for (int i = 0; i < words.length; i++) {
                places[i] = words[i] == pad ? 0 : next++;
            }
            return new Prompt(words, there, places, next);
        }
    }

    private int[][] each(Function<Prompt, int[]> of) {
        return Arrays.stream(prompts).map(of).toArray(int[][]::new);
    }

    @Override
    public int[][] first() {
        return each(Prompt::words);
    }

    private int length() {
        return prompts[0].words().length;
    }

    @Override
    public Tensor begin() {
        String graph = inputs.node().attributes().has(FIRST_STEP) ? FIRST_STEP : EACH_STEP;
        Tensor words = WordRows.last(first(), length());
        return run(
                graph,
                words,
                WordRows.last(each(Prompt::places), length()),
                WordRows.last(each(Prompt::there), length()),
                0);
    }

    @Override
    public Tensor goOn(int[][] sequences, int[] from) {
        int length = sequences[0].length;
        int further = length - length() - 1;
        int share = sequences.length / prompts.length;
        int[][] places = new int[sequences.length][];
        int[][] masks = new int[sequences.length][length];
        for (int i = 0; i < sequences.length; i++) {
            Prompt prompt = prompts[i / share];
            places[i] = new int[] {prompt.next() + further};
            Arrays.fill(masks[i], 1);
            System.arraycopy(prompt.there(), 0, masks[i], 0, length());
        }
        int[] rows = WordRows.sources(from, further == 0 ? prompts.length : from.length);
        caches = caches.stream()
                .map(cache -> WordRows.gather(inputs.context(), cache, CACHE_ROWS, rows))
                .toList();
        return run(
                EACH_STEP,
                WordRows.last(sequences, 1),
                WordRows.last(places, 1),
                WordRows.last(masks, length),
                length - 1);
    }

    private Tensor run(String graph, Tensor words, Tensor places, Tensor mask, int before) {
        long rows = words.shape().dim(0);
        boolean fixed = graphs.asksForLength(graph);
        var steps = new OwnSteps(prompts.length, most);
        int sequences = Math.toIntExact(rows);
        var operands = new ArrayList<Datum>(List.of(words));
        int used = 0;
        for (Value input : graphs.furtherInputs(graph)) {
            switch (input.name()) {
                case "position_ids" -> operands.add(places);
                case "attention_mask" -> operands.add(mask);
                case NestedGraphs.LENGTH -> operands.add(OwnSteps.length(before));
                case NestedGraphs.BEAMS -> operands.add(steps.beams(sequences));
                case NestedGraphs.BEAM_TABLE -> operands.add(steps.table(sequences));
                default -> {
                    operands.add(before == 0 ? empty(input, rows, fixed ? most : 0) : cache(used, input));
                    used++;
                }
            }
        }
        List<Tensor> outputs = graphs.run(inputs.context(), graph, operands, rows, 1, CACHE_ROWS);
        caches = outputs.subList(1, outputs.size());
        return outputs.getFirst();
    }

    private Tensor cache(int index, Value input) {
        if (index >= caches.size()) {
            throw graphs.unknown(input);
        }
        return caches.get(index);
    }

    /** Returns an empty cache, whose heads and size the graph declares. */
    private Tensor empty(Value input, long rows, int steps) {
        SymbolicShape shape = NestedGraphs.shape(input);
        ElementType type = input.elementType();
        if (type == null
                || shape == null
                || shape.rank() != CACHE_RANK
                || !(shape.dim(CACHE_HEADS) instanceof Dim.Known heads)
                || !(shape.dim(CACHE_SIZE) instanceof Dim.Known size)) {
            throw graphs.unknown(input);
        }
        return Tensor.allocate(type, Shape.of(2, rows, heads.extent(), steps, size.extent()));
    }
}
