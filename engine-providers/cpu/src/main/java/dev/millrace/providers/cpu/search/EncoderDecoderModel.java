package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An encoder-decoder model. The encoder runs once. Its outputs are scores of the first word, its own states, and
 * caches: those of the decoder's words, then those of the encoder's. The decoder runs for each further word.
 */
final class EncoderDecoderModel implements WordModel {
    private static final String ENCODER = "encoder";
    private static final String DECODER = "decoder";
    private static final int FIRST_WORDS = 10;
    /** The number of outputs of the encoder before the caches. */
    private static final int CACHES = 2;

    private static final int CACHE_RANK = 4;

    private final SearchInputs inputs;
    private final NestedGraphs graphs;
    private final Tensor first;
    private final OwnSteps steps;
    private final boolean hasRoom;
    private EncoderSide side;
    private List<Tensor> caches = List.of();

    /**
     * @param maskInput the input that may hold a mask of the encoder's input
     * @param most the largest number of words of a sequence
     */
    EncoderDecoderModel(SearchInputs inputs, int maskInput, int most) {
        this.inputs = inputs;
        graphs = new NestedGraphs(inputs.node());
        Tensor words = inputs.context().tensor(SearchInputs.WORDS);
        if (words.shape().rank() < 2 || words.elements() == 0) {
            throw inputs.refuse("an encoder has nothing to read in " + words);
        }
        first = firstWords(words.shape().dim(0));
        steps = new OwnSteps(Math.toIntExact(first.shape().dim(0)), most);
        hasRoom = graphs.asksForLength(DECODER);
        side = new EncoderSide(words, mask(inputs.find(maskInput), words), words);
    }

    /** The encoder's side that the decoder may attend to, with a row for each entry of the batch or each sequence. */
    private record EncoderSide(Tensor words, @Nullable Tensor mask, Tensor states) {
        EncoderSide gather(DynamicContext context, int[] from) {
            return new EncoderSide(
                    WordRows.gather(context, words, 0, from),
                    mask == null ? null : WordRows.gather(context, mask, 0, from),
                    WordRows.gather(context, states, 0, from));
        }
    }

    private Tensor firstWords(long batch) {
        Tensor words = inputs.find(FIRST_WORDS);
        if (words == null) {
            int[] start = new int[Math.toIntExact(batch)];
            Arrays.fill(start, inputs.attribute("decoder_start_token_id", -1));
            return Tensor.copyOf(start, batch, 1);
        }
        if (words.shape().rank() != 2 || words.shape().dim(0) != batch || words.elements() == 0) {
            throw inputs.refuse("first words of shape " + words.shape() + " for " + batch + " in a batch");
        }
        return words;
    }

    /** Returns the mask of words that count: an input, else all words behind the padding; null for other data. */
    private @Nullable Tensor mask(@Nullable Tensor mask, Tensor words) {
        if (mask != null
                && (mask.shape().rank() == 0
                        || mask.shape().dim(0) != words.shape().dim(0))) {
            throw inputs.refuse("the mask is " + mask + " for " + words.shape().dim(0) + " in a batch");
        }
        if (mask != null || words.type() != ElementType.INT32 || words.shape().rank() != 2) {
            return mask;
        }
        int pad = inputs.attribute("pad_token_id", -1);
        int[][] rows = WordRows.of(words);
        for (int[] row : rows) {
            int begin = 0;
            while (begin < row.length && row[begin] == pad) {
                begin++;
            }
            Arrays.fill(row, 0, begin, 0);
            Arrays.fill(row, begin, row.length, 1);
        }
        return WordRows.last(rows, Math.toIntExact(words.shape().dim(1)));
    }

    @Override
    public int[][] first() {
        return WordRows.of(first);
    }

    @Override
    public Tensor begin() {
        var operands = new ArrayList<Datum>(List.of(side.words()));
        for (Value input : graphs.furtherInputs(ENCODER)) {
            operands.add(
                    switch (input.name()) {
                        case "encoder_attention_mask" -> graphs.required(side.mask(), input);
                        case "decoder_input_ids" -> first;
                        default -> throw graphs.unknown(input);
                    });
        }
        List<Tensor> encoded =
                graphs.run(inputs.context(), ENCODER, operands, first.shape().dim(0), CACHES, 0);
        if (encoded.size() < CACHES || encoded.getFirst().shape().rank() != 3) {
            throw EngineException.notImplemented(inputs.node().describe() + ": an encoder that gives no scores");
        }
        side = new EncoderSide(side.words(), side.mask(), encoded.get(1));
        caches = encoded.subList(CACHES, encoded.size());
        return encoded.getFirst();
    }

    @Override
    public Tensor goOn(int[][] sequences, int[] from) {
        gather(from);
        List<Value> wanted = graphs.inputs(DECODER);
        var operands = new ArrayList<Datum>(
                List.of(WordRows.last(sequences, takesOne(wanted.getFirst()) ? 1 : sequences[0].length)));
        int used = 0;
        for (Value input : graphs.furtherInputs(DECODER)) {
            switch (input.name()) {
                case "encoder_input_ids" -> operands.add(side.words());
                case "encoder_attention_mask" -> operands.add(graphs.required(side.mask(), input));
                case "encoder_hidden_states" -> operands.add(side.states());
                case NestedGraphs.LENGTH -> operands.add(OwnSteps.length(sequences[0].length - 1));
                case NestedGraphs.BEAMS -> operands.add(steps.beams(sequences.length));
                case NestedGraphs.BEAM_TABLE -> operands.add(steps.table(sequences.length));
                default -> {
                    if (used == caches.size()) {
                        throw graphs.unknown(input);
                    }
                    operands.add(caches.get(used++));
                }
            }
        }
        List<Tensor> decoded = graphs.run(inputs.context(), DECODER, operands, sequences.length, 1, 0);
        if (decoded.size() - 1 > caches.size()) {
            throw EngineException.invalidGraph(inputs.node().describe() + ": a decoder of " + (decoded.size() - 1)
                    + " caches behind an encoder of " + caches.size());
        }
        var next = new ArrayList<>(decoded.subList(1, decoded.size()));
        next.addAll(caches.subList(next.size(), caches.size()));
        caches = next;
        return decoded.getFirst();
    }

    /** Gathers for each sequence the caches of the sequence that it continues, and those of its encoder side. */
    private void gather(int[] from) {
        long rows = side.words().shape().dim(0);
        int[] followed = WordRows.sources(from, rows);
        boolean isFirst = rows < from.length;
        if (isFirst) {
            side = side.gather(inputs.context(), followed);
        }
        int own = inputs.node().attributes().graph(DECODER).outputs().size() - 1;
        var next = new ArrayList<Tensor>();
        for (int i = 0; i < caches.size(); i++) {
            Tensor cache = isFirst && hasRoom && i < own ? withRoom(caches.get(i)) : caches.get(i);
            next.add(i < own || isFirst ? WordRows.gather(inputs.context(), cache, 0, followed) : cache);
        }
        caches = next;
    }

    private Tensor withRoom(Tensor cache) {
        Shape shape = cache.shape();
        if (shape.rank() != CACHE_RANK || shape.dim(2) > steps.room()) {
            throw EngineException.invalidGraph(inputs.node().describe() + ": an encoder that gives a cache of shape "
                    + shape + " for " + steps.room() + " steps");
        }
        return steps.withRoom(inputs.context(), cache);
    }

    /** Whether the decoder takes the last word alone, as it declares. */
    private static boolean takesOne(Value ids) {
        SymbolicShape shape = NestedGraphs.shape(ids);
        return shape != null && shape.rank() == 2 && shape.dims().get(1).is(1);
    }
}
