package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunResult;
import dev.millrace.session.Session;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Computes embeddings of texts: a tokenizer, then a session, then pooling. The session stays the caller's to close.
 * Thread-safe.
 */
public final class Embedder {
    private static final String IDS = "input_ids";
    private static final String MASK = "attention_mask";
    private static final String TYPES = "token_type_ids";

    private static final String EMBED = "embedding";

    /** The number of texts that are encoded before they are grouped into runs. */
    private static final int WINDOW = 1024;

    /** The largest number of texts in a run. On CPUs, larger runs gain nothing and take memory. */
    private static final int MOST_TEXTS = 16;

    private static final int MOST_TOKENS = 4096;
    private static final long MOST_ELEMENTS = 1 << 28;

    private final Session session;
    private final Tokenizer tokenizer;
    private final Pooling pooling;
    private final boolean normalising;
    private final String output;

    private Embedder(Session session, Tokenizer tokenizer, Pooling pooling, boolean normalising, String output) {
        this.session = session;
        this.tokenizer = tokenizer;
        this.pooling = pooling;
        this.normalising = normalising;
        this.output = output;
    }

    /**
     * Creates an embedder that takes the mean over the tokens of the session's first output, normalised to length one.
     */
    public static Embedder of(Session session, Tokenizer tokenizer) {
        ApiBoundary.requireArgument(session, "session");
        ApiBoundary.requireArgument(tokenizer, "tokenizer");
        for (ValueInfo input : session.inputs()) {
            if (!input.optional() && !List.of(IDS, MASK, TYPES).contains(input.name())) {
                throw EngineException.invalidArgument("the model wants an input '" + input.name()
                        + "', and tokens give " + List.of(IDS, MASK, TYPES));
            }
        }
        return new Embedder(
                session,
                tokenizer,
                Pooling.MEAN,
                true,
                session.outputs().getFirst().name());
    }

    /** Returns this embedder with another pooling. */
    public Embedder pooling(Pooling other) {
        return new Embedder(session, tokenizer, ApiBoundary.requireArgument(other, "pooling"), normalising, output);
    }

    /** Returns this embedder with normalisation of vectors to length one switched on or off. */
    public Embedder normalising(boolean brings) {
        return new Embedder(session, tokenizer, pooling, brings, output);
    }

    /** Returns this embedder for another output: vectors of tokens, or vectors of texts, which are not pooled. */
    public Embedder output(String name) {
        if (session.outputs().stream().noneMatch(each -> each.name().equals(name))) {
            throw EngineException.invalidArgument("Invalid output name: " + name + "; there are "
                    + session.outputs().stream().map(ValueInfo::name).toList());
        }
        return new Embedder(session, tokenizer, pooling, normalising, name);
    }

    /** Returns the vector of a text. */
    public float[] embed(String text) {
        return embedAll(List.of(ApiBoundary.requireArgument(text, "text"))).getFirst();
    }

    /**
     * Returns the vectors of texts in their order. Many texts are several consecutive runs of texts of similar length;
     * the number of texts in a run depends on their lengths.
     */
    public List<float[]> embedAll(List<String> texts) {
        List<String> all = ApiBoundary.all(texts, "texts");
        var vectors = new ArrayList<float[]>(all.size());
        for (int from = 0; from < all.size(); from += WINDOW) {
            List<String> window = all.subList(from, Math.min(all.size(), from + WINDOW));
            vectors.addAll(ApiBoundary.guarded(EMBED, () -> window(window)));
        }
        return List.copyOf(vectors);
    }

    private List<float[]> window(List<String> texts) {
        List<Encoding> encodings = tokenizer.unpadded(texts);
        if (!tokenizer.pads()) {
            requireEqualLengths(encodings);
        }
        var order = new ArrayList<Integer>(encodings.size());
        for (int i = 0; i < encodings.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparingInt(i -> encodings.get(i).length()));
        var vectors = new float[encodings.size()][];
        for (List<Integer> batch : runs(order, encodings)) {
            Inputs inputs =
                    inputsOf(tokenizer.padded(batch.stream().map(encodings::get).toList()));
            try (Outputs outputs = session.run(inputs)) {
                List<float[]> made = vectors(inputs, outputs);
                for (int i = 0; i < batch.size(); i++) {
                    vectors[batch.get(i)] = made.get(i);
                }
            }
        }
        return List.of(vectors);
    }

    /**
     * Groups texts into runs: as many as the model's fixed batch size, or so many that their tokens and padding stay
     * below the limits.
     */
    private List<List<Integer>> runs(List<Integer> order, List<Encoding> encodings) {
        int fixed = textsOfModel();
        var runs = new ArrayList<List<Integer>>();
        int from = 0;
        while (from < order.size()) {
            int to = from + 1;
            while (to < order.size()
                    && (fixed > 0
                            ? to - from < fixed
                            : to - from < MOST_TEXTS
                                    && (long) (to - from + 1)
                                                    * encodings
                                                            .get(order.get(to))
                                                            .length()
                                            <= MOST_TOKENS)) {
                to++;
            }
            runs.add(order.subList(from, to));
            from = to;
        }
        return runs;
    }

    /** The model's fixed batch size; 0 where it takes any. */
    private int textsOfModel() {
        for (ValueInfo input : session.inputs()) {
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

    /** Returns the vector of a text, from a run that begins on subscription. */
    public Mono<float[]> mono(String text) {
        ApiBoundary.requireArgument(text, "text");
        return Mono.defer(() -> {
            Inputs inputs = inputs(List.of(text));
            return session.mono(inputs).map(first(inputs));
        });
    }

    private Function<Outputs, float[]> first(Inputs inputs) {
        return outputs -> {
            try (outputs) {
                return vectors(inputs, outputs).getFirst();
            }
        };
    }

    /** Returns a vector for each text, in their order, with the demand of a session's {@link Session#flux}. */
    public Flux<float[]> flux(Publisher<String> texts) {
        return session.results(
                        Flux.from(ApiBoundary.requireArgument(texts, "texts")).map(text -> inputs(List.of(text))))
                .map(this::vector);
    }

    private float[] vector(RunResult result) {
        return first(result.request()).apply(result.orThrow());
    }

    /** Returns the model's inputs for texts. */
    public Inputs inputs(List<String> texts) {
        return ApiBoundary.guarded(EMBED, () -> {
            List<Encoding> encodings = tokenizer.encodeAll(texts);
            if (encodings.isEmpty()) {
                throw EngineException.invalidArgument("the argument 'texts' is empty");
            }
            requireEqualLengths(encodings);
            return inputsOf(encodings);
        });
    }

    private static void requireEqualLengths(List<Encoding> encodings) {
        int tokens = encodings.getFirst().length();
        if (encodings.stream().anyMatch(each -> each.length() != tokens)) {
            throw EngineException.invalidArgument(
                    "texts of different lengths are one run only where the tokenizer pads them, and this one does not:"
                            + " its file says nothing of padding, or unbounded() has switched it off;"
                            + " see paddedWith and paddedTo");
        }
    }

    private Inputs inputsOf(List<Encoding> encodings) {
        int tokens = encodings.getFirst().length();
        if ((long) encodings.size() * tokens > MOST_ELEMENTS) {
            throw EngineException.invalidArgument(encodings.size() + " texts of " + tokens
                    + " tokens are too many for one run; cut them with cutTo, or make several runs");
        }
        var inputs = Inputs.empty();
        for (ValueInfo input : session.inputs()) {
            switch (input.name()) {
                case IDS -> inputs.and(IDS, tensor(input, encodings, tokens, Encoding::ids));
                case MASK -> inputs.and(MASK, tensor(input, encodings, tokens, Encoding::mask));
                case TYPES -> inputs.and(TYPES, tensor(input, encodings, tokens, Encoding::types));
                default -> {
                    // an optional input, which has a default
                }
            }
        }
        return inputs;
    }

    private static Tensor tensor(
            ValueInfo input, List<Encoding> encodings, int tokens, Function<Encoding, long[]> what) {
        long[] all = new long[encodings.size() * tokens];
        for (int i = 0; i < encodings.size(); i++) {
            System.arraycopy(what.apply(encodings.get(i)), 0, all, i * tokens, tokens);
        }
        if (input.type() instanceof ValueType.TensorType type && type.element() == ElementType.INT32) {
            int[] narrow = new int[all.length];
            java.util.Arrays.setAll(narrow, i -> (int) all[i]);
            return Tensor.copyOf(narrow, encodings.size(), tokens);
        }
        return Tensor.copyOf(all, encodings.size(), tokens);
    }

    private List<float[]> vectors(Inputs inputs, Outputs outputs) {
        Tensor hidden = outputs.get(output);
        float[][] vectors = hidden.shape().rank() == 2
                ? rows(hidden)
                : pooling.pool(hidden, inputs.input(MASK) instanceof Tensor mask ? mask : null);
        if (normalising) {
            for (float[] vector : vectors) {
                toLengthOne(vector);
            }
        }
        return List.of(vectors);
    }

    private static float[][] rows(Tensor vectors) {
        Shape shape = vectors.shape();
        float[] all = vectors.floats();
        float[][] rows = new float[(int) shape.dim(0)][];
        int width = (int) shape.dim(1);
        java.util.Arrays.setAll(rows, i -> java.util.Arrays.copyOfRange(all, i * width, (i + 1) * width));
        return rows;
    }

    private static void toLengthOne(float[] vector) {
        double norm = Math.sqrt(dot(vector, vector));
        for (int i = 0; norm > 0 && i < vector.length; i++) {
            vector[i] = (float) (vector[i] / norm);
        }
    }

    /** Returns the dot product, which for vectors of length one is the cosine similarity, from -1 to 1. */
    public static double dot(float[] a, float[] b) {
        if (ApiBoundary.requireArgument(a, "a").length != ApiBoundary.requireArgument(b, "b").length) {
            throw EngineException.invalidArgument(
                    "vectors of " + a.length + " and " + b.length + " numbers have no dot product");
        }
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += (double) a[i] * b[i];
        }
        return sum;
    }
}
