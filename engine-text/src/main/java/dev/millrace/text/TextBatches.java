package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Runs of tokenised texts: texts of similar length are padded and run together, and results come back in the order of the
 * texts. The model takes {@code input_ids}, {@code attention_mask} and {@code token_type_ids}, as far as it declares them. The
 * inference stays the caller's to close. Thread-safe.
 */
public final class TextBatches {
    private static final String IDS = "input_ids";
    static final String MASK = "attention_mask";
    private static final String TYPES = "token_type_ids";

    /** The largest number of texts in a run. On CPUs, larger runs gain nothing and take memory. */
    private static final int MOST_TEXTS = 16;

    private static final int MOST_TOKENS = 4096;
    private static final long MOST_ELEMENTS = 1 << 28;

    private final Inference inference;
    private final Tokenizer tokenizer;

    /**
     * The reading of a run's outputs: one result for each text, in their order.
     *
     * @param <T> the type of results
     */
    @FunctionalInterface
    public interface Reader<T> {
        /**
         * Returns a result for each text.
         *
         * @param texts the texts of the run, padded to one length
         */
        List<T> read(List<Encoding> texts, Inputs inputs, Outputs outputs);
    }

    private TextBatches(Inference inference, Tokenizer tokenizer) {
        this.inference = inference;
        this.tokenizer = tokenizer;
    }

    /** Creates runs for a model of texts. Throws if the model has other mandatory inputs than those of tokens. */
    public static TextBatches of(Inference inference, Tokenizer tokenizer) {
        ApiBoundary.requireArgument(inference, "inference");
        ApiBoundary.requireArgument(tokenizer, "tokenizer");
        for (ValueInfo input : inference.inputs()) {
            if (!input.optional() && !List.of(IDS, MASK, TYPES).contains(input.name())) {
                throw EngineException.invalidArgument("the model wants an input '" + input.name()
                        + "', and tokens give " + List.of(IDS, MASK, TYPES));
            }
        }
        return new TextBatches(inference, tokenizer);
    }

    /** The number of texts that streams keep under way. */
    public int concurrency() {
        return inference.concurrency();
    }

    /** Runs texts of any lengths on this thread, in as many runs as they need. */
    public <T> List<T> run(List<Encoding> texts, Reader<T> reader) {
        var results = new Results<T>(texts.size());
        for (List<Integer> batch : batches(texts)) {
            Run run = run(texts, batch);
            try (Outputs outputs = inference.run(run.inputs())) {
                results.put(batch, reader.read(run.texts(), run.inputs(), outputs));
            }
        }
        return results.all();
    }

    /** Returns the results of texts of any lengths, whose runs follow each other on subscription. */
    public <T> Mono<List<T>> mono(List<Encoding> texts, Reader<T> reader) {
        return Mono.defer(() -> {
            var results = new Results<T>(texts.size());
            return Flux.fromIterable(batches(texts))
                    .concatMap(batch -> {
                        Run run = run(texts, batch);
                        return inference.mono(run.inputs()).doOnNext(outputs -> {
                            try (outputs) {
                                results.put(batch, reader.read(run.texts(), run.inputs(), outputs));
                            }
                        });
                    })
                    .then(Mono.fromSupplier(results::all));
        });
    }

    /** The texts of a run, padded, and the model's inputs for them. */
    private record Run(List<Encoding> texts, Inputs inputs) {}

    private Run run(List<Encoding> texts, List<Integer> batch) {
        List<Encoding> padded = tokenizer.padded(batch.stream().map(texts::get).toList());
        return new Run(padded, inputs(padded));
    }

    /** Results that come in another order than that of their texts. */
    private static final class Results<T> {
        private final List<T> all;

        Results(int size) {
            all = new ArrayList<>(Collections.nCopies(size, null));
        }

        void put(List<Integer> batch, List<T> made) {
            for (int i = 0; i < batch.size(); i++) {
                all.set(batch.get(i), made.get(i));
            }
        }

        List<T> all() {
            return List.copyOf(all);
        }
    }

    /**
     * Groups texts into runs: as many as the model's fixed batch size, or so many that their tokens and padding stay
     * below the limits.
     */
    private List<List<Integer>> batches(List<Encoding> texts) {
        if (!tokenizer.pads()) {
            requireEqualLengths(texts);
        }
        var order = new ArrayList<Integer>(texts.size());
        for (int i = 0; i < texts.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparingInt(i -> texts.get(i).length()));
        int fixed = textsOfModel();
        var batches = new ArrayList<List<Integer>>();
        int from = 0;
        while (from < order.size()) {
            int to = from + 1;
            while (to < order.size()
                    && fits(to - from + 1, texts.get(order.get(to)).length(), fixed)) {
                to++;
            }
            batches.add(order.subList(from, to));
            from = to;
        }
        return batches;
    }

    private static boolean fits(int texts, int tokens, int fixed) {
        return fixed > 0 ? texts <= fixed : texts <= MOST_TEXTS && (long) texts * tokens <= MOST_TOKENS;
    }

    /** The model's fixed batch size; 0 where it takes any. */
    private int textsOfModel() {
        for (ValueInfo input : inference.inputs()) {
            if (input.name().equals(IDS)
                    && input.type() instanceof ValueType.TensorType type
                    && type.shape() != null
                    && type.shape().rank() > 0
                    && type.shape().dim(0) instanceof Dim.Known known) {
                return Math.clamp(known.extent(), 1, Integer.MAX_VALUE);
            }
        }
        return 0;
    }

    static void requireEqualLengths(List<Encoding> texts) {
        if (texts.stream().mapToInt(Encoding::length).distinct().count() > 1) {
            throw EngineException.invalidArgument(
                    "texts of different lengths are one run only where the tokenizer pads them, and this one does not:"
                            + " its file says nothing of padding, or unbounded() has switched it off;"
                            + " see paddedWith and paddedTo");
        }
    }

    /** Returns the model's inputs for texts of one length. */
    public Inputs inputs(List<Encoding> texts) {
        requireEqualLengths(texts);
        int tokens = texts.getFirst().length();
        if ((long) texts.size() * tokens > MOST_ELEMENTS) {
            throw EngineException.invalidArgument(texts.size() + " texts of " + tokens
                    + " tokens are too many for one run; cut them with cutTo, or make several runs");
        }
        var inputs = Inputs.empty();
        for (ValueInfo input : inference.inputs()) {
            switch (input.name()) {
                case IDS -> inputs.and(IDS, tensor(input, texts, tokens, Encoding::ids));
                case MASK -> inputs.and(MASK, tensor(input, texts, tokens, Encoding::mask));
                case TYPES -> inputs.and(TYPES, tensor(input, texts, tokens, Encoding::types));
                default -> {
                    // an optional input, which has a default
                }
            }
        }
        return inputs;
    }

    private static Tensor tensor(ValueInfo input, List<Encoding> texts, int tokens, Function<Encoding, long[]> what) {
        long[] all = new long[texts.size() * tokens];
        for (int i = 0; i < texts.size(); i++) {
            System.arraycopy(what.apply(texts.get(i)), 0, all, i * tokens, tokens);
        }
        if (input.type() instanceof ValueType.TensorType type && type.element() == ElementType.INT32) {
            int[] narrow = new int[all.length];
            Arrays.setAll(narrow, i -> (int) all[i]);
            return Tensor.copyOf(narrow, texts.size(), tokens);
        }
        return Tensor.copyOf(all, texts.size(), tokens);
    }
}
