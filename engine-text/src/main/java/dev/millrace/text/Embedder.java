package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunResult;
import dev.millrace.session.Session;
import dev.millrace.session.ValueInfo;
import java.util.List;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Texts to vectors: a tokenizer before a session and pooling behind it. The session stays the caller's to close; any number
 * of threads may use it.
 */
public final class Embedder {
    private static final String IDS = "input_ids";
    private static final String MASK = "attention_mask";
    private static final String TYPES = "token_type_ids";

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

    /** The mean over the tokens of the session's first output, brought to length one. */
    public static Embedder of(Session session, Tokenizer tokenizer) {
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

    /** The same with another way to pool. */
    public Embedder pooling(Pooling other) {
        return new Embedder(session, tokenizer, other, normalising, output);
    }

    /** The same, whose vectors are brought to length one, or are not. */
    public Embedder normalising(boolean brings) {
        return new Embedder(session, tokenizer, pooling, brings, output);
    }

    /** The same over another output: vectors of tokens, or of texts, which need no pooling. */
    public Embedder output(String name) {
        if (session.outputs().stream().noneMatch(each -> each.name().equals(name))) {
            throw EngineException.invalidArgument("Invalid output name: " + name + "; there are "
                    + session.outputs().stream().map(ValueInfo::name).toList());
        }
        return new Embedder(session, tokenizer, pooling, normalising, name);
    }

    /** The vector of a text. */
    public float[] embed(String text) {
        return embedAll(List.of(text)).getFirst();
    }

    /** The vectors of texts, which are one run. */
    public List<float[]> embedAll(List<String> texts) {
        if (texts.isEmpty()) {
            return List.of();
        }
        Inputs inputs = inputs(texts);
        try (Outputs outputs = session.run(inputs)) {
            return vectors(inputs, outputs);
        }
    }

    /** The vector of a text, from a run that begins when it is subscribed to. */
    public Mono<float[]> mono(String text) {
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

    /** A vector for each text, in their order, with the demand of a session's {@link Session#flux}. */
    public Flux<float[]> flux(Publisher<String> texts) {
        return session.results(Flux.from(texts).map(text -> inputs(List.of(text))))
                .map(this::vector);
    }

    private float[] vector(RunResult result) {
        return first(result.request()).apply(result.orThrow());
    }

    /** The inputs of texts, those of them that the model has. */
    public Inputs inputs(List<String> texts) {
        List<Encoding> encodings = tokenizer.encodeAll(texts);
        int tokens = encodings.getFirst().length();
        if (encodings.stream().anyMatch(each -> each.length() != tokens)) {
            throw EngineException.invalidArgument(
                    "texts of different lengths are one run only where the tokenizer pads them;"
                            + " its file says nothing of padding: see paddedWith");
        }
        var inputs = Inputs.empty();
        for (ValueInfo input : session.inputs()) {
            switch (input.name()) {
                case IDS -> inputs.and(IDS, tensor(input, encodings, tokens, Encoding::ids));
                case MASK -> inputs.and(MASK, tensor(input, encodings, tokens, Encoding::mask));
                case TYPES -> inputs.and(TYPES, tensor(input, encodings, tokens, Encoding::types));
                default -> {
                    // has a default
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

    /** The dot product: of vectors of length one, how alike they are, from -1 to 1. */
    public static double dot(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += (double) a[i] * b[i];
        }
        return sum;
    }
}
